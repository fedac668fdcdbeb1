import fc from "fast-check";

// The same examples in every run, so that a failure is always somebody's change. Another seed looks
// for more: QKV_TEST_SEED=$RANDOM npx vitest run --config tests/js/vitest.config.ts properties
fc.configureGlobal({ seed: Number(process.env["QKV_TEST_SEED"] ?? 1) });
