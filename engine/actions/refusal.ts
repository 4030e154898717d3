/** An answer that is a no: nothing was changed, and the owner is told why. */
export interface Refusal {
  readonly ok: false;
  readonly error: { readonly code: string; readonly message: string; readonly problems: readonly never[] };
}

export const refusal = (code: string, message: string): Refusal => ({
  ok: false,
  error: { code, message, problems: [] },
});

export const isRefusal = (result: object): result is Refusal => 'ok' in result && result.ok === false;
