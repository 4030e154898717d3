/** How the mail lies in its conversation. */
export interface ReplyHeaders {
  readonly kind: 'reply' | 'task';
  readonly subject: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly quote: { attribution: string; text: string } | null;
}
