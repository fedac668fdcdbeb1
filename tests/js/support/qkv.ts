import { load, type Variant } from "qkv";

/** The binary under test: each project of vitest.config.ts runs all tests with another one. */
export const variant = process.env["QKV_TEST_VARIANT"] as Variant;

export const qkv = await load({ variant });
