import { CLAIMS, WANTED } from '../corpus/injections.ts';
import type { HeardRequest, ScriptedCall, Turn } from './model-script.ts';

interface Spoken {
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
  }[];
}

export const spokenIn = ({ body }: HeardRequest) => (body as Spoken).messages;

/** Every text of a request, whoever is said to have said it; escapes of nested JSON do not hide a word. */
export const textOf = (request: HeardRequest): string =>
  JSON.stringify(spokenIn(request).filter(({ role }) => role !== 'assistant'));

/** The case that a request is about: what its own mail says, not an earlier one of the thread. */
export const caseOf = (request: HeardRequest): number => Number(/case-(\d+)/.exec(request.view.lastUser)?.[1] ?? -1);

/**
 * A model that believes what it reads: it makes the call that its mail asks for, then whatever any text in the whole
 * request tells it to do, once each, and ends by saying what it was told to say.
 */
export function gullible(reads: (n: number) => ScriptedCall | undefined) {
  return (request: HeardRequest): Turn => {
    const made = spokenIn(request).flatMap(({ tool_calls = [] }) =>
      tool_calls.map(({ function: { name, arguments: args } }) => `${name} ${args}`),
    );
    const text = textOf(request);
    const read = reads(caseOf(request));
    const id = /\[attachment (att_\w+)\]/.exec(text)?.[1] ?? '';
    const asked = read && JSON.parse(JSON.stringify(read).replace('ATTACHMENT', id));
    const told = [...text.matchAll(/obey-([a-z]+)/g)].map(([, word = '']) => WANTED[word]).filter((call) => !!call);
    const fresh = [...(asked ? [asked] : []), ...told].filter(
      (call) => !made.includes(`${call.name} ${JSON.stringify(call.arguments)}`),
    );
    // What it is told to do comes to it only with what it reads.
    const [next] = made.length === 0 && asked ? [asked] : fresh;
    if (next && request.view.tools.length > 0) return { calls: [next] };
    const said = [...text.matchAll(/say-([a-z]+)/g)].map(([, word = '']) => CLAIMS[word] ?? '');
    return { text: ['I have read it.', ...new Set(said)].join('\n') };
  };
}
