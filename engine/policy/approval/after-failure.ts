import type { Json, Scope, ToolCall } from '#contract';
import type { Executable, Prepared } from '../call.ts';
import { isExecutable } from '../call.ts';

/** A call of the turn that came to nothing, and what it would have touched as far as that is known. */
export interface MissedCall {
  readonly call: ToolCall;
  readonly targets: readonly string[];
  /** Nobody knows what it did. */
  readonly isUnclear?: true;
}

/** Whether a call that changes something is not made because calls before it, in the same turn, came to nothing. */
export type IsAfterFailure = (next: Executable, failed: readonly MissedCall[]) => boolean;

/** In runs of older versions each was. */
export const afterAny: IsAfterFailure = (_next, failed) => failed.length > 0;

/**
 * One that builds on what failed: it is to be done to the same, or anything that it is given names what the failed call was
 * given or would have touched. What a command would have made nobody knows, nor what another call of a tool that names nothing
 * does to the next.
 */
export const afterWhatItNeeds =
  (scopes: Readonly<Record<string, Scope>> = {}): IsAfterFailure =>
  (next, failed) => {
    if (next.apart === true) return false;
    const isCommand = ({ name }: ToolCall) => scopes[name]?.startsWith('shell:') === true;
    const own = [...next.targets, ...wordsOf(next.call)].map(plain);
    const said = own.join('\n');
    const isNamed = (word: string) =>
      isName(word) && (own.includes(word) || (word.length >= LEAST && said.includes(word)));
    return failed.some(
      ({ call, targets, isUnclear }) =>
        isUnclear === true ||
        isCommand(call) ||
        isCommand(next.call) ||
        (call.name === next.call.name && targets.length + next.targets.length === 0) ||
        [...targets, ...wordsOf(call)].map(plain).some(isNamed),
    );
  };

/** Of a turn, in its order. */
export const failedOf = (next: Prepared): MissedCall => ({
  call: next.call,
  targets: isExecutable(next) ? next.targets : [],
});

const [LEAST, MOST] = [4, 200];
/** What may be what something is called: a file, an address, the id of a call. Two mails of the same words are two. */
const isName = (word: string): boolean =>
  word !== '' && word.length <= MOST && (!/\s/.test(word) || /\.\p{L}[\p{L}\p{N}]{0,9}$/u.test(word));

const wordsOf = ({ id, arguments: args, rawArguments }: ToolCall): readonly string[] => [
  id,
  ...leavesOf(args ?? rawArguments ?? null),
];

/** The texts of arguments, wherever in them they stand. */
export function leavesOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}

/** `./Notes//a.md` is `notes/a.md`: rather the same once too often. */
export const plain = (text: string): string =>
  text
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
