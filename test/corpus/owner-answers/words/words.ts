/** What an owner says beside a yes, by what a reader takes it for. */
export const KINDS = ['no', 'condition', 'date', 'amount', 'takeBack', 'question'] as const;
export type Kind = (typeof KINDS)[number];

/** How people of one language write to the gateway, on phones and at desks. Nothing in here comes from the engine. */
export interface Words extends Readonly<Record<Kind, readonly string[]>> {
  readonly language: string;
  /** Of dates in attributions and header blocks. */
  readonly locale: string;
  readonly name: string;
  /** Each a plain yes, and nothing more. */
  readonly yes: readonly string[];
  /** Agree, or only praise: a reader would act on most of these, and may ask. */
  readonly agreeing: readonly string[];
  readonly greetings: readonly string[];
  readonly closings: readonly string[];
  /** Nobody would see a doubt in these. */
  readonly signatures: readonly (readonly string[])[];
  /** Ordinary as well, in words that look as if they took something back. */
  readonly hardSignatures: readonly (readonly string[])[];
  /** Begin like the footer of a mail program, and say no, not yet or not so. */
  readonly footerLike: readonly string[];
  /** Conditions that somebody wrote as lines with a label. */
  readonly headerLike: readonly (readonly string[])[];
  /** Read like the line above a quotation, and hold a doubt. */
  readonly attributionLike: readonly string[];
  /** Instead of a yes: neither yes nor no, or later. */
  readonly undecided: readonly string[];
  readonly postscript: string;
  /** The member's request, and the letter that the owner is asked about: it holds an amount, a date and a time. */
  readonly request: string;
  readonly subject: string;
  readonly letter: string;
}

/** The lines of a text, one entry each. */
export const lines = (text: string): string[] => text.trim().split('\n');

/** Entries of several lines, with an empty line between them. */
export const blocks = (text: string): string[][] =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map(lines);
