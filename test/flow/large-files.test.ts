import { afterEach, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { MEMBER } from './governance-rig.ts';

// That a file was not read is said by the gateway, with the limit: the model may not say it, or say that it has read it.

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(receipt: 'effects' | 'never'): Promise<Modelled> {
  const made = await openModelled(
    (_, asked) => ({
      text: asked.includes('Bitte') ? 'Der Plan ist gut, danke dafür.' : 'The plan is good, thank you.',
    }),
    {
      'configs/gateway.json': { smtp_listener: { port: 0 }, limits: { max_attachment_bytes: 2000 } },
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        access: { allow: ['*@member.example'] },
        reply: { receipt },
      },
    },
  );
  closing.push(() => made.close());
  return made;
}

const small = { filename: 'note.txt', content: 'A short note.' };
const large = { filename: 'plan.txt', content: 'x'.repeat(2500) };

it.each(['effects', 'never'] as const)(
  'a file above the limit is named to its sender with the limit, in their language, whatever the model writes: %s',
  async (receipt) => {
    const { office } = await open(receipt);
    await office.post({ from: MEMBER, subject: 'Plan', text: 'Please read the plan.', attachments: [small, large] });
    const { mail } = await office.arrival('reply', MEMBER);
    expect(mail.text).toContain('The plan is good, thank you.');
    expect(mail.text).toContain('I could not read plan.txt (2.5 kB), because a file may have 2 kB at most.');
    expect(mail.text).not.toContain('note.txt');
    const [run] = (await office.cli('runs', 'list')).json.runs;
    expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });

    const german = 'Bitte lies den Plan im Anhang und sag mir, was du davon hältst.';
    await office.post({ from: MEMBER, subject: 'Der Plan', text: german, attachments: [large] });
    const { mail: second } = await office.arrival('reply', MEMBER, 2);
    expect(second.text).toContain(
      'Ich konnte plan.txt (2,5 kB) nicht lesen, weil eine Datei höchstens 2 kB haben darf.',
    );

    await office.post({ from: MEMBER, subject: 'Note', text: 'And this one?', attachments: [small] });
    expect((await office.arrival('reply', MEMBER, 3)).mail.text).not.toContain('could not read');
  },
);
