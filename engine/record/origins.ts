// Where a piece of what a model was shown comes from. The words are on record and may be shown to a model; a person is told
// of the place in their own language, by its kind. What an older version has put on record is read in the same way.

export const DONE_BEFORE = 'what was done for an earlier mail';
export const NOTES = 'notes that are kept for all mail';
export const PERHAPS_OTHERS = 'what somebody else may have written in';
export const LATER = 'a later mail of the same sender';

/** Places that need no more than their name. */
const FIXED = {
  'the mail that is answered': 'mail',
  'its subject': 'subject',
  'the names of its attachments': 'names',
  'an invitation that came with it': 'invitation',
  'what stood beside the mail': 'beside',
  'what it was handed': 'handed',
  'what stood beside an earlier mail': 'earlier',
  [DONE_BEFORE]: 'myAnswer',
  'an answer that came back': 'cameBack',
  'an earlier answer of this thread': 'myAnswer',
  'an earlier answer that was recalled': 'myAnswer',
  [NOTES]: 'noted',
  'the summary of an earlier thread': 'summary',
  'the summary of this thread': 'summary',
  'a standing rule': 'rule',
  'what is remembered': 'noted',
  'what was learned from earlier mail': 'noted',
  'a document in knowledge/': 'knowledge',
} as const;

const BESIDE = {
  'what was forwarded with': 'forwarded',
  'what is quoted in': 'quoted',
  'what stands below': 'below',
  [PERHAPS_OTHERS]: 'unsure',
} as const;

/** What may stand as an origin: each has a place below, and so a sentence in every language. */
export type Origin =
  | keyof typeof FIXED
  | typeof LATER
  | `an earlier mail of ${string}`
  | `the subject of an earlier mail of ${string}`
  | `the result of ${string}`
  | `what ${string} returned for an earlier mail`
  | `${keyof typeof BESIDE} ${string}`
  | `${string}, of ${typeof LATER}`
  | 'the model itself';

export type Place =
  | { readonly kind: (typeof FIXED)[keyof typeof FIXED] | 'later' | 'elsewhere' }
  | { readonly kind: 'earlierOf' | 'earlierSubject'; readonly from: string }
  | { readonly kind: (typeof BESIDE)[keyof typeof BESIDE]; readonly within: Place }
  | { readonly kind: 'result'; readonly tool: string; readonly args: string };

/** The place as data; of words that no version of ours has written, no more than that it is somewhere. Pure. */
export function placeOf(origin: string): Place {
  if (Object.hasOwn(FIXED, origin)) return { kind: FIXED[origin as keyof typeof FIXED] };
  for (const [words, kind] of Object.entries(BESIDE))
    if (origin.startsWith(`${words} `)) return { kind, within: placeOf(origin.slice(words.length + 1)) };
  if (origin === LATER || origin.endsWith(`, of ${LATER}`)) return { kind: 'later' };
  const [, from] = /^an earlier mail of (.{1,400}?)(?:, recalled)?$/.exec(origin) ?? [];
  if (from !== undefined) return isAddress(from) ? { kind: 'earlierOf', from } : { kind: 'earlier' };
  const [, whose] = /^the subject of an earlier mail of (.{1,400})$/.exec(origin) ?? [];
  if (whose !== undefined) return isAddress(whose) ? { kind: 'earlierSubject', from: whose } : { kind: 'earlier' };
  const [, tool, args = ''] = /^the result of (\w{1,64}) (.*)$/s.exec(origin) ?? [];
  if (tool !== undefined) return { kind: 'result', tool, args };
  const [, before] = /^what (\w{1,64}) returned for an earlier mail$/.exec(origin) ?? [];
  if (before !== undefined) return { kind: 'result', tool: before, args: '' };
  return { kind: 'elsewhere' };
}

/** Where nobody is known, the words have "the thread" or "nobody" in its place. */
const isAddress = (word: string): boolean => word.includes('@');
