/** One request, read as far as its head. */
export interface ConsoleRequest {
  readonly method: string;
  /** As it stands in the request line, with what follows a question mark. */
  readonly url: string;
  readonly contentType: string;
  readonly authorization: string;
  /** Null where it is longer than may be. */
  body(): Promise<string | null>;
}

export interface Reply {
  readonly status: number;
  readonly type: 'application/json' | 'text/plain; version=0.0.4';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const json = (status: number, value: object, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers,
  type: 'application/json',
  body: `${JSON.stringify(value)}\n`,
});

/** The shape in which commands say what went wrong, too. */
export const failed = (status: number, code: string, message: string, headers: Reply['headers'] = {}): Reply =>
  json(status, { ok: false, error: { code, message } }, headers);
