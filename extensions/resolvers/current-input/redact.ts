/** What follows `Bearer` in prose about bonds and rules, not in a header. */
const PROSE = 'of|bonds?|shares?|cheques?|tokens?|auth\\w*|and|or|is|in|to|for|the|with|must|may|shall';

/**
 * Shapes of keys that people paste into mails. Each begins with a fixed mark and runs over one class of characters,
 * so that no text makes the search slow.
 */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  /\bauthorization\s{0,5}:\s{0,5}(?:basic|bearer|token)\s{1,5}\S+/gi,
  new RegExp(`\\bBearer[ \\t]{1,5}(?!(?:${PROSE})\\b)[\\w.~+/=-]{3,}`, 'g'),
  /\bsk-(?=[\w-]*\d)[\w-]{8,}|\bsk-[\w-]{20,}/g,
  /\bgh[pousr]_\w{8,}|\bgithub_pat_\w{20,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{12,}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*/g,
];

/** Replaces what looks like a key by `[REDACTED]`: it would go to a vendor and into every later prompt. */
export const redact = (text: string): string =>
  SECRETS.reduce((rest, pattern) => rest.replace(pattern, '[REDACTED]'), text);
