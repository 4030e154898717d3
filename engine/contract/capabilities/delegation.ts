/** Parts of the work of a run that runs of their own do, which see nothing but what they are handed. */
export interface DelegationCapability {
  /**
   * Begins a child run together with the wait for its result: what comes back has to be the tool's result. Throws
   * `invalid_arguments` with what stands in the way: its limits, a file that cannot be read, a tool that may not be used.
   */
  begin(packet: {
    readonly task: string;
    /** A text, a path in `files/`, the id of an attachment, or the reference of a result. */
    readonly context: readonly (
      | string
      | { readonly file: string }
      | { readonly attachment: string }
      | { readonly ref: string }
    )[];
    readonly tools: readonly string[];
    readonly budget: { readonly usd?: number | undefined; readonly tokens?: number | undefined };
  }): Promise<{ readonly delegated: { readonly run_id: string; readonly timeout_s: number } }>;
}
