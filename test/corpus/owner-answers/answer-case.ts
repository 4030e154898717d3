/** A mail of the gateway that asks an owner, as it was really sent. */
export interface Question {
  readonly from: { readonly name: string; readonly address: string };
  /** Where an answer goes; default: the sender. */
  readonly replyTo?: string;
  readonly subject: string;
  /** With its angle brackets. */
  readonly messageId: string;
  readonly text: string;
  readonly html: string;
  readonly sentAt: Date;
}

/** `either`: may be acted on or asked back, and must not be dropped. */
export type Expected = 'approve' | 'not_approve' | 'either';

/** One answer, before it is known which question it answers. */
export interface OwnerAnswer {
  readonly name: string;
  readonly expected: Expected;
  /** Where in the mail the doubt stands, or what else the mail is. */
  readonly class: string;
  /** What the doubt is; of answers without one: null. */
  readonly kind: string | null;
  readonly program: string;
  readonly language: string;
  /** What a reader has to find in the mail, by itself or among other words. */
  readonly words: readonly string[];
  /** The mail as bytes of RFC 5322. */
  write(question: Question, owner: string, messageId: string): Buffer;
}

export interface WrittenAnswer extends Omit<OwnerAnswer, 'write'> {
  readonly raw: Buffer;
}
