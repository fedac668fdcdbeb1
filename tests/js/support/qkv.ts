import { load, type Variant } from "qkv";

/** What is under test: each project of vitest.config.ts runs its tests with another combination. */
export const variant = process.env["QKV_TEST_VARIANT"] as Variant;
export const threads = Number(process.env["QKV_TEST_THREADS"]);

export const qkv = await load({ variant, threads });
