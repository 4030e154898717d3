import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

// F20: "send it to Mia" had no way to her address but a search, though she had written in that very thread.

const rig: { made?: Modelled } = {};
beforeAll(async () => {
  rig.made = await openModelled(() => ({ text: 'Here you are.' }), {
    'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: [MEMBER] } },
  });
});
afterAll(() => rig.made?.close());

it('whoever wrote in a thread stands with name and address before a model that works on a mail of it, once', async () => {
  const { office, model } = rig.made as Modelled;
  const letter = (from: string, id: string, more: readonly string[], text: string) => ({
    raw: [
      `From: ${from}`,
      `To: ${ADA}`,
      `Message-ID: <${id}@office.example>`,
      'Subject: Offer',
      ...more,
      '',
      text,
    ].join('\r\n'),
  });
  await office.post(letter(`Maria Keller <${OWNER}>`, 'one', [`Cc: ${MEMBER}`], 'Here is the offer.'));
  await office.arrival('reply', OWNER);
  const answer = ['In-Reply-To: <one@office.example>', 'References: <one@office.example>'];
  await office.post({ ...letter(`Mia Lind <${MEMBER}>`, 'two', [`Cc: ${OWNER}`, ...answer], 'Thanks!'), from: MEMBER });
  await office.arrival('reply', MEMBER);
  await office.post(letter(`Maria Keller <${OWNER}>`, 'three', answer, 'Please send the price to Mia.'));
  await office.arrival('reply', OWNER, 2);
  const lines = model.requests.map(({ view }) => /^Others who wrote in this thread: (.*)$/m.exec(view.lastUser)?.[1]);
  expect(lines).toEqual([undefined, `"Maria Keller" <${OWNER}>`, `"Mia Lind" <${MEMBER}>`]);
});
