import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeardRequest, Script } from '../fakes/model-script.ts';
import { type Gateway, startGateway, submit } from './gateway.ts';
import { runsEnded } from './persona-db.ts';
import { environment, type Models, startModels, WAYS, workspaceFiles } from './provider-ways.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const MAILS = 5;
/** What ends the words of a mail, in every wire format; what is told of it in this run alone stands behind it. */
const END = /<\/new_text_[0-9a-f]{8}>/g;
const endOfMail = (body: string): number => {
  const last = [...body.matchAll(END)].at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
};

/** The second and the fourth mail take tools, thinking included. */
function scripted(): Script {
  return ({ view }) => {
    const [, persona = '', number = ''] = /([\w-]+) mail (\d)/.exec(view.lastUser) ?? [];
    if (Number(number) % 2 === 1 || view.results.length > 0) return { text: `Answer ${number} «ü».` };
    const text = `${persona} ${number}`;
    return {
      thinking: `${persona} thinks about ${number}`,
      text: 'Let me look.',
      calls: [
        { name: 'echo', arguments: { text } },
        { name: 'broken', arguments: { text } },
      ],
    };
  };
}

let models: Models;
let workspace: TestWorkspace;
let gateway: Gateway;

beforeAll(async () => {
  models = await startModels(scripted);
  workspace = makeWorkspace({
    ...workspaceFiles(models),
    // Five mails within seconds look like two programs that answer each other.
    'configs/security.json': { owners: ['owner@example.com'], loop_guard: { max_fast_replies: 0 } },
  });
  gateway = await startGateway(workspace.root, environment());
  await Promise.all(WAYS.map(({ persona }) => writeFiveMails(persona)));
});

async function writeFiveMails(persona: string): Promise<void> {
  const references: string[] = [];
  for (let number = 1; number <= MAILS; number += 1) {
    const id = `<${number}.${persona}@member.example>`;
    await submit(workspace.root, gateway.ready, {
      from: 'mia@member.example',
      to: `${persona}@agents.localhost`,
      subject: `${number > 1 ? 'Re: ' : ''}${persona} mail ${number}`,
      text: `This is ${persona} mail ${number} with "quotes" and «ümlauts».`,
      messageId: id,
      ...(references.length > 0 ? { inReplyTo: references.at(-1) ?? '', references: [...references] } : {}),
    });
    const runs = await runsEnded(workspace.root, persona, number);
    references.push(id, runs.at(-1)?.reply_message_id ?? '');
  }
}

afterAll(async () => {
  await gateway?.end();
  await models?.stop();
  workspace?.remove();
});

describe.each(WAYS)('five mails in one thread with $persona', ({ persona, provider }) => {
  const asked = () =>
    models
      .of(provider)
      .requests.filter(
        ({ view }) => view.lastUser.includes(`"Re: ${persona} mail `) || view.lastUser.includes(`"${persona} mail `),
      );
  const bodyOf = (request: HeardRequest | undefined) => request?.raw.toString() ?? '';
  const firstOf = (number: number) =>
    bodyOf(
      asked().find(({ view }) => view.results.length === 0 && view.lastUser.includes(`${persona} mail ${number}"`)),
    );
  const lastOf = (number: number) =>
    bodyOf(asked().findLast(({ view }) => view.lastUser.includes(`${persona} mail ${number}"`)));

  it('are one thread, asked about in seven requests', () => {
    expect(asked()).toHaveLength(MAILS + 2);
  });

  it.each([1, 2, 3, 4])(
    'V-10: begin, after mail %i, with the bytes of its request up to the end of the mail',
    (number) => {
      const next = firstOf(number + 1);
      for (const before of [firstOf(number), lastOf(number)]) {
        const prefix = before.slice(0, endOfMail(before));
        expect(prefix.length).toBeGreaterThan(500);
        expect(next.startsWith(prefix)).toBe(true);
      }
    },
  );

  it.each([1, 2, 3, 4])('keep the block of mail %i as it was first shown, to its last byte', (number) => {
    const before = firstOf(number);
    const end = before.lastIndexOf(`mail ${number} with`);
    const block = before.slice(0, before.indexOf('new_text_', end));
    expect(block).toContain('«ümlauts»');
    expect(firstOf(number + 1).startsWith(block)).toBe(true);
  });

  it.each([2, 4])('extend the request of mail %i when the results of its tools go back', (number) => {
    const before = firstOf(number);
    // Two or three brackets close the body and its list of messages.
    expect(lastOf(number).startsWith(before.slice(0, -3))).toBe(true);
    expect(lastOf(number).length).toBeGreaterThan(before.length + 100);
  });
});
