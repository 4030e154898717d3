import { afterEach, describe, expect, it } from 'vitest';
import { openModelled } from './acceptance/office-with-model.ts';
import { ADA, OWNER } from './governance-rig.ts';

// A question quotes the sentence that it is about, however far down that stands in a long mail.

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
