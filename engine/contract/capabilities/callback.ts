/** Where whoever works for a call can bring its result, instead of waiting until `check` asks. */
export interface CallbackCapability {
  /**
   * `POST` the result as JSON to `url` with `authorization: Bearer <token>`. The token is for this call alone and works
   * once; asked again, there is another one, and the former works no more. Null where nothing can be brought: no console
   * is configured, the tool has no `check`, or this is no call of a run. Then `check` has to do.
   */
  address(): Promise<{ readonly url: string; readonly token: string } | null>;
}
