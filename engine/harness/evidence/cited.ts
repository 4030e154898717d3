import { z } from 'zod';
import type { ModelMessage } from '#contract';
import { readJson } from '../../lib/json.ts';

// Results and the mails that they list have short names, t3 and m7, by which an answer cites them. They are given by the order of
// the results of a run, when a model is asked: on record a result stays as it was observed.

/** A key of a result: in a text that it holds, the quotation marks would be escaped. */
const LISTED = /"message_id":("(?:[^"\\]|\\.)*")/g;
/** What brought nothing, or waits, is nothing to cite. */
const BEGINNING = '{"ok":true,';
const DONE = `${BEGINNING}"result":`;
const idIn = (json: string): string => readJson(z.string(), json) ?? '';

/** The name of the nth result, from 0. */
export const nameOfResult = (index: number): string => `t${index + 1}`;

/** Names of all mails that results list, by Message-ID, in the order in which they were first seen. */
export function namesOfMails(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    for (const { content } of message.role === 'tool' ? message.results : [])
      for (const id of mailsIn(content)) if (!names.has(id)) names.set(id, `m${names.size + 1}`);
  }
  return names;
}

const mailsIn = (content: string): readonly string[] =>
  content.startsWith(DONE) ? [...content.matchAll(LISTED)].map(([, id = '']) => idIn(id)) : [];

/** The messages of a run as its model is shown them, with the names; `all`: before anything of them was made shorter. */
export function withNames(shown: readonly ModelMessage[], all: readonly ModelMessage[]): readonly ModelMessage[] {
  const mails = namesOfMails(all);
  let count = 0;
  return shown.map((message) => {
    if (message.role !== 'tool') return message;
    const results = message.results.map((result) => {
      const name = nameOfResult(count);
      count += 1;
      if (result.isError || !result.content.startsWith(DONE)) return result;
      const listed = result.content.replace(LISTED, (key, id) => {
        const mail = mails.get(idIn(id));
        return mail === undefined ? key : `"cite":"${mail}",${key}`;
      });
      return { ...result, content: `${BEGINNING}"cite":"${name}",${listed.slice(BEGINNING.length)}` };
    });
    return { ...message, results };
  });
}
