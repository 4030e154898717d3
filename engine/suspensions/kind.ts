import type { JsonObject } from '#contract';
import type { Language } from '../languages/language.ts';
import type { Approval } from '../storage/types/approvals.ts';
import type { AnswerToRead, ReadAnswer } from './answers/read-answer.ts';

/** One kind of thing that a run waits for owners with: all that differs from the others. */
export interface AskedKind {
  /** Words are the answer, whatever they say; else they have to be a yes or a no. */
  readonly answeredBy: 'words' | 'yes_or_no';
  /** Whether its arguments are the steps of a plan (`steps.ts`), which are decided together and made in order. */
  readonly bySteps: boolean;
  /** Null: it is a numbered item of the one mail about all such calls of its run. */
  readonly mail: OwnMail | null;
  /** What an owner reads in place of the call; null where the call itself, or each step, is shown. */
  question(args: JsonObject): string | null;
  /** How it is answered. `several`: it is one of several items; `line`: one that changes an argument of the first. */
  how(language: Language, several: boolean, line: string): string;
  /** What an owner's mail says of the items of one notice; null: nothing, and it is mail like any other. Pure. */
  read(given: AnswerToRead): ReadAnswer | null;
  /** What the model gets once an owner has agreed; null: the call is made, and its result is what it gets. */
  result(decided: Approval): JsonObject | null;
}

/** A mail that asks about one thing alone. */
export interface OwnMail {
  /** What the purpose of the mail in the outbox begins with; the approval's id follows. */
  readonly purpose: string;
  subject(language: Language, name: string, args: JsonObject): string;
  /** The line before what is asked; null: there is none. */
  opening(language: Language, args: JsonObject): string | null;
}
