import { afterAll, beforeAll, expect, it } from 'vitest';
import { writtenIn } from '../../fakes/model-script.ts';
import { type Modelled, openModelled } from '../acceptance/office-with-model.ts';
import { ADA, OWNER } from '../governance-rig.ts';

// F10: "My Lisbon flight was moved to 11:40" took the place of the row that had the date, and the date was gone.

const LISBON = 'Nora flies to Lisbon on 20 January 2027 at 9:10';
const MOVED = 'Nora flies to Lisbon on 20 January 2027 at 11:40';
const BOOKS = 'Invoices go to books@nora.example every week';

const idIn = (prompt: string, words: string) => new RegExp(`\\[(f[0-9a-f]{10})\\] "[^"]*${words}`).exec(prompt)?.[1];
const remember = (args: { readonly [key: string]: string | undefined }) => ({
  calls: [{ name: 'remember', arguments: { kind: 'plan', ...args } }],
});

const rig: { made?: Modelled } = {};
beforeAll(async () => {
  rig.made = await openModelled(
    (turn, lastUser) => {
      const mail = writtenIn(lastUser);
      if (turn > 0) return { text: 'Noted.' };
      if (mail.includes(LISBON)) return remember({ text: LISBON, quote: LISBON });
      if (mail.includes(BOOKS)) return remember({ text: BOOKS, quote: BOOKS });
      if (mail.includes('moved'))
        return remember({
          text: MOVED,
          quote: 'My Lisbon flight was moved to 11:40',
          replaces: idIn(lastUser, 'Lisbon'),
        });
      if (mail.includes('once a month'))
        return remember({
          text: 'Invoices go to books@nora.example once a month',
          quote: 'The invoices go out once a month now',
          replaces: idIn(lastUser, 'Invoices'),
        });
      if (mail.includes('cancelled'))
        return remember({
          text: 'Eve flies in place of Nora',
          quote: 'The Lisbon flight is cancelled',
          replaces: idIn(lastUser, 'Lisbon'),
        });
      return { text: 'As you say.' };
    },
    { 'personas/ada/persona.json': { name: 'Ada', address: ADA, memory: { facts: true } } },
  );
});
afterAll(() => rig.made?.close());

it('a fact that takes the place of another keeps its date and its address, and nothing of what others wrote', async () => {
  const { office, model } = rig.made as Modelled;
  const mails = { count: 0 };
  const write = async (text: string, attachments: { filename: string; content: string }[] = []) => {
    mails.count += 1;
    await office.post({ subject: `Matter ${mails.count}`, text, attachments });
    await office.arrival('reply', OWNER, mails.count);
    return model.requests.at(-1)?.view.lastUser ?? '';
  };
  await write(`${LISBON}. Please remember that.`);
  await write(`${BOOKS}. Please remember that.`);
  // The names of files are words of others: by then the run has read some.
  await write('My Lisbon flight was moved to 11:40.', [
    { filename: 'ticket.txt', content: 'Eve flies, on 21 January.' },
  ]);
  await write('The invoices go out once a month now.');
  expect(await write('When is my flight to Lisbon, and where do the invoices go?')).toContain(JSON.stringify(MOVED));
  const told = model.requests.at(-1)?.view.lastUser ?? '';
  expect(told).toContain('"Invoices go to books@nora.example once a month"');
  await write('The Lisbon flight is cancelled.', [{ filename: 'note.txt', content: 'Eve flies in place of Nora.' }]);
  expect(await write('Do I fly to Lisbon?')).toContain(`${MOVED} → The Lisbon flight is cancelled`);
});
