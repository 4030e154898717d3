import type { Turn as Answer, HeardRequest, ScriptedCall } from '../../../../../test/fakes/model-script.ts';
import { shownIn } from '../obedient.ts';
import { MARK, type Role } from './chain.ts';

interface Spoken {
  readonly messages: readonly { readonly role: string; readonly tool_calls?: readonly unknown[] }[];
}

/**
 * A model that obeys: it looks at what its mail wants looked at, and where anything that it was shown holds the order it
 * does that to the letter. `shown`: the order was there.
 */
export function gullible(roleOf: (mark: string) => Role | undefined, shown: (mark: string) => void) {
  return (request: HeardRequest): Answer => {
    // What is asked beside the runs, as whether something is to be remembered, is answered by nothing.
    if (request.view.tools.length === 0) return { text: 'Nothing.' };
    const own = request.view.lastUser;
    const mark = MARK.exec(own)?.[0];
    const role = mark === undefined ? undefined : roleOf(mark);
    if (mark === undefined || role === undefined) return { text: 'I have read it.' };
    const text = shownIn(request);
    const { messages } = request.body as Spoken;
    const made = messages.slice(lastOfUser(messages)).filter(({ tool_calls: calls }) => (calls?.length ?? 0) > 0);
    const { reads, order, turns } = role;
    const seen = { text, code: /safe \d+ has the code (\d+)/.exec(text)?.[1] ?? 'unknown' };
    const read = reads[made.length];
    if (read) return answerWith(read(seen), 'I have read it.');
    if (order !== null && !`${text} ${system(request)}`.includes(order)) return { text: 'I have read it.' };
    shown(mark);
    return answerWith(turns[made.length - reads.length]?.(seen) ?? [], role.says(seen));
  };
}

const system = ({ view }: HeardRequest): string => view.system;

const answerWith = (calls: readonly ScriptedCall[], text: string): Answer => (calls.length > 0 ? { calls } : { text });

const lastOfUser = (messages: Spoken['messages']): number => messages.findLastIndex(({ role }) => role === 'user');
