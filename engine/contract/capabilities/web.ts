export interface WebCapability {
  /**
   * GET over http or https. Refuses private, loopback, link-local and reserved addresses on every hop, except
   * for hosts in `allowHosts`; the address that was checked is the one that is connected to.
   */
  fetch(options: {
    readonly url: string;
    readonly allowHosts: readonly string[];
    readonly maxBytes: number;
    readonly signal: AbortSignal;
    /** A call of a service that the owner has set up: it follows no redirect, so a key goes to that host alone. */
    readonly api?: WebApiCall;
  }): Promise<WebPage>;
  /**
   * What a person would read of HTML: text that nobody sees (styles, attributes, comments) is left out, tables of data
   * are Markdown tables. Throws `tool_failed` when it takes more than a few seconds.
   */
  readHtml(html: string, signal: AbortSignal): Promise<ReadablePage>;
  /** The text of a document (PDF, office files) from `offset` on. Throws `tool_failed` with why it cannot be read. */
  readDocument(document: {
    readonly bytes: Uint8Array;
    readonly name: string;
    readonly offset: number;
    readonly limit: number;
  }): Promise<DocumentPage>;
}

export interface WebApiCall {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST; absent: a GET. */
  readonly body?: string;
}

export interface DocumentPage {
  readonly title: string | null;
  readonly text: string;
  readonly total_chars: number;
  readonly next_offset: number | null;
  /** Pages, slides or sheets that it shows and how many there are, such as `3-5 of 12`; null where there are none. */
  readonly pages: string | null;
}

export interface ReadablePage {
  readonly title: string | null;
  readonly text: string;
  /** Whether only the beginning was read. */
  readonly cut: boolean;
}

export interface WebPage {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly truncated: boolean;
  /** The wait that the server asks for, in milliseconds; absent: none. */
  readonly retryAfterMs?: number;
}
