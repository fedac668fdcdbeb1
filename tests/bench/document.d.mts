import type { Mechanism } from "qkv";

export function document(mechanisms: readonly Mechanism[], recorded: unknown): string;
