/**
 * What may be spent on all HTML of one mail together, its parts, its attachments and the mails inside it: a hundred
 * parts that cost a second each would keep everybody else's mail waiting. What does not fit is not read, and that is said.
 */
export interface Allowance {
  /** Off where reading styles may be what brought the full reader down. */
  readonly styles: boolean;
  characters: number;
  /** Tags and the pieces of text between them; a person's mail has a few thousand. */
  tags: number;
  /** Comparisons of selectors with elements; a newsletter needs some ten thousand. */
  comparisons: number;
}

export const fullAllowance = ({ styles } = { styles: true }): Allowance => ({
  styles,
  characters: 2_000_000,
  tags: 100_000,
  comparisons: 1_000_000,
});

export const isSpent = ({ characters, tags, comparisons }: Allowance): boolean =>
  characters <= 0 || tags <= 0 || comparisons <= 0;

/** A page of the web is read alone, in a thread that can be ended. */
export const pageAllowance = (): Allowance => ({
  styles: true,
  characters: 2_000_000,
  tags: 400_000,
  comparisons: 4_000_000,
});
