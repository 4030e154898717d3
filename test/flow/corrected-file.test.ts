import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { ADA, MEMBER } from './governance-rig.ts';

const ids: string[] = [];
/** A careless model: whatever version came last, it looks at the first one. */
const says: Says = (_turn, mail, results) => {
  ids.push(...[...mail.matchAll(/\[attachment (\S+)\] april\.csv/g)].map(([, id = '']) => id));
  if (results.length > 0) return { text: 'Here it is.' };
  const [first = ''] = ids;
  return {
    calls: [
      { name: 'query_table', arguments: { source: first, select: ['sum(Amount)'] } },
      { name: 'read_attachment', arguments: { id: first } },
    ],
  };
};

let made: Modelled;
beforeAll(async () => {
  made = await openModelled(says);
});
afterAll(() => made.close());

const mail = (id: string, csv: string, headers: readonly string[] = []): string =>
  [
    ...headers,
    `From: ${MEMBER}\r\nTo: ${ADA}\r\nSubject: Figures\r\nMessage-ID: <${id}@member.example>\r\nMIME-Version: 1.0`,
    'Content-Type: multipart/mixed; boundary="b"\r\n',
    '--b\r\nContent-Type: text/plain\r\n\r\nWhat is the sum?',
    '--b\r\nContent-Type: text/csv; name="april.csv"\r\nContent-Disposition: attachment; filename="april.csv"\r\n',
    csv,
    '--b--\r\n',
  ].join('\r\n');

/** What the model was told of its two calls in answer to the newest mail. */
const told = (): string =>
  made.model.requests
    .at(-1)
    ?.view.results.map(({ content }) => content)
    .join('\n') ?? '';

it('of a file that its sender sent again, the earlier one says that there is a later one', async () => {
  const { office } = made;
  const answered = async (count: number) => (await office.arrival('reply', MEMBER, count)).mail;
  await office.post({ from: MEMBER, raw: mail('one', 'Item;Amount\r\nA;100\r\nB;150\r\n') });
  const { messageId } = await answered(1);
  expect(told()).toContain('250');
  expect(told()).not.toContain('another file of this name');
  // The very same file, sent along once more, is no other one.
  const thread = [`In-Reply-To: ${messageId}`, `References: <one@member.example> ${messageId}`];
  await office.post({ from: MEMBER, raw: mail('same', 'Item;Amount\r\nA;100\r\nB;150\r\n', thread) });
  await answered(2);
  expect(told()).not.toContain('another file of this name');
  await office.post({ from: MEMBER, raw: mail('two', 'Item;Amount\r\nA;150\r\nB;150\r\n', thread) });
  await answered(3);
  const later = `another file of this name: ${ids.at(-1)}; this is the earlier one`;
  expect(told().split(later)).toHaveLength(3);
});
