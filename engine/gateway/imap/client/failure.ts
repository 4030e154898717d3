/** What a broken session means for the next attempt. */
export interface Failure {
  readonly kind: 'network' | 'auth';
  /** One line for the owner; never a secret, imapflow puts none into its errors. */
  readonly message: string;
  /** The server itself asked for this much patience. */
  readonly waitMs: number;
  /** The login was refused, and nothing says that the secret is the cause. */
  readonly isUnclear?: boolean;
  /** No server was asked: somebody has to log in at the provider first. */
  readonly needsLogin?: boolean;
}

/** RFC 5530 codes with which a server says that the secret is wrong, or not enough. */
const THE_SECRET = new Set(['AUTHENTICATIONFAILED', 'AUTHORIZATIONFAILED', 'EXPIRED']);
/** Codes with which it refuses a login although the secret may be right. */
const NOT_THE_SECRET = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN']);
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Pure, and tolerant: the error may be anything that was thrown. `hasWorked`: the server took this secret before; then a
 * refusal without a reason is that of a busy server, which many of them give.
 */
export function classifyFailure(error: unknown, { hasWorked = false }: { readonly hasWorked?: boolean } = {}): Failure {
  const code = textField(error, 'serverResponseCode')?.toUpperCase() ?? '';
  const isRefused = boolField(error, 'authenticationFailed') && !NOT_THE_SECRET.has(code);
  const isUnclear = isRefused && hasWorked && !THE_SECRET.has(code);
  return {
    kind: isRefused && !isUnclear ? 'auth' : 'network',
    message: describe(error),
    waitMs: patience(error),
    ...(isUnclear ? { isUnclear } : {}),
  };
}

/** The tagged answer was NO or BAD, or could not be read: the mail's fault rather than the line's. */
export function isRefusedByServer(error: unknown): boolean {
  const code = textField(error, 'code') ?? '';
  return (
    ['NO', 'BAD'].includes(textField(error, 'responseStatus') ?? '') || /^(Parser|Literal|Response|Line)/.test(code)
  );
}

/** What the server itself said: its response code (RFC 5530), and its words or those of the error. */
export function responseOf(error: unknown): { readonly code: string | null; readonly text: string } {
  return { code: textField(error, 'serverResponseCode') ?? null, text: describe(error) };
}

export function describe(error: unknown): string {
  const said = textField(error, 'responseText');
  const code = textField(error, 'code');
  const message = error instanceof Error ? error.message : String(error);
  const parts = [message, said, message === code ? undefined : code].filter(Boolean);
  return [...new Set(parts)]
    .join(': ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 300);
}

/** "Request is throttled. Suggested Backoff Time: 300000 milliseconds" (Exchange). */
function patience(error: unknown): number {
  const words = `${textField(error, 'responseText') ?? ''} ${error instanceof Error ? error.message : ''}`;
  const suggested = Number(/backoff time: (\d{1,9}) milliseconds/i.exec(words)?.[1] ?? 0);
  return Math.min(Math.max(suggested, numberField(error, 'throttleReset')), LONGEST_WAIT_MS);
}

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;

function textField(error: unknown, name: string): string | undefined {
  const value = field(error, name);
  return typeof value === 'string' ? value : undefined;
}

const boolField = (error: unknown, name: string) => field(error, name) === true;

function numberField(error: unknown, name: string): number {
  const value = field(error, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
