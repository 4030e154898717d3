import { afterEach, describe, expect, it } from 'vitest';
import { openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

// What an owner wrote is theirs: a question quotes the sentence that it is about, however far down it stands, and nobody asks who has
// named a sum that the owner has typed in an answer of this very conversation.

const open: { close?: () => Promise<void> } = {};
afterEach(() => open.close?.());

const FILES = {
  'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, answer: 'now' } },
  'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
};

const LONG = `Morning Ada

Dr Weiss is ill, so no surgery today. Moved to Monday, same times:
- 10:00 Petrov, Bello, check and stitches
- 11:30 Kowalski, cat Mia, teeth
- 14:00 Ahrens, rabbit Flocke, lump
Pls keep that as a file. And write to Mrs Petrov petrova@client.example that Bello comes on Monday at 10. The others Jonas rings.
I am out at farms from about 11 to 5, phone only.`;

describe('the question about a mail that an owner has asked for', () => {
  it('quotes the beginning of their mail, and the sentence that asks for it', async () => {
    const { office, close } = await openModelled(
      (turn) =>
        turn === 0
          ? {
              calls: [
                {
                  name: 'send_email',
                  arguments: {
                    to: ['petrova@client.example'],
                    subject: 'Bello: Monday at 10',
                    body: 'Dear Mrs Petrov',
                  },
                },
              ],
            }
          : { text: 'It waits for you.' },
      FILES,
    );
    open.close = close;
    await office.ask(LONG, OWNER, 'Thursday');
    const { mail } = await office.arrival('approval', OWNER);
    const quoted = (mail.text ?? '').replaceAll(/\s*\n\s*>\s?/g, ' ');
    expect(quoted).toContain('Morning Ada');
    expect(quoted).toContain(
      '[…] And write to Mrs Petrov petrova@client.example that Bello comes on Monday at 10. […]',
    );
    expect(quoted).not.toContain('I am out at farms');
  });
});

describe('a sum that the owner has typed in an answer', () => {
  it('is named by them in the later mails of that conversation', async () => {
    const { office, close } = await openModelled((_, lastUser, results) => {
      const isLater = lastUser.includes('Bert');
      if (results.length === 0 && !isLater)
        return { text: 'I ask.', calls: [{ name: 'ask_owner', arguments: { question: 'What is open?' } }] };
      if (results.length === 0)
        return {
          calls: [
            {
              name: 'send_email',
              arguments: {
                to: ['bert@client.example'],
                subject: 'Bill',
                body: 'Of 1,045.00 EUR, 140.00 EUR are open.',
              },
            },
          ],
        };
      return { text: 'Done.' };
    }, FILES);
    open.close = close;
    await office.ask('What do I owe of the 1,045.00 EUR?', MEMBER, 'Bill');
    const question = await office.arrival('clarify', OWNER);
    await office.answer(question, '140.00 EUR are open.');
    await office.arrival('reply', MEMBER, 2);
    const [told] = await office.left('reply', MEMBER);
    if (!told) throw new Error('nobody was told');
    // The answer to it is a mail of the same conversation, in which others' words stand as well.
    await office.answer(told, 'Please tell Bert, bert@client.example.\n\n> Kurt wrote: 999.00 EUR', {
      from: MEMBER,
      to: ADA,
    });
    await onceRecorded(office.root, async () => {
      expect(await office.left('approval', OWNER)).toHaveLength(1);
    });
    const [asked] = await office.left('approval', OWNER);
    expect(asked?.mail.text).not.toContain('140.00 comes');
    expect(asked?.mail.text).not.toMatch(/140\.00( EUR)? comes from|nobody whose word counts here has named/);
  });
});
