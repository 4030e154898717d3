import type { Risk } from '#contract';

/** What a call can be, from what changes nothing to what cannot be taken back. */
export const RISKS = ['read', 'create', 'write', 'destructive'] as const satisfies readonly Risk[];
