import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epistle } from '../flow/gateway.ts';
import {
  ANSWER,
  answers,
  BORDER,
  DOMAIN,
  KEY,
  offered,
  openStreet,
  ownMail,
  type Place,
  REFUSED,
  TYPED,
  typedWord,
  WORD,
} from './door/street.ts';

/** It checks nobody, and says the same of whatever comes from outside. */
const STAMP = `Authentication-Results: ${BORDER}; spf=pass smtp.mailfrom=${DOMAIN}; dmarc=pass header.from=${DOMAIN}`;

const NAMES = [
  'a plain one, to which the owner writes from outside',
  'a plain one, to which the owner writes with a login of it',
  'one with a milter, to which the owner writes from outside',
  'one with a milter, to which the owner writes with a login of it',
  'one that says who logged in',
] as const;

let street: Awaited<ReturnType<typeof openStreet>>;
beforeAll(async () => {
  street = await openStreet();
});
afterAll(() => street.close());

const places = (): Readonly<Record<(typeof NAMES)[number], Place>> => {
  const rspamd = { resolver: street.resolver };
  return {
    [NAMES[0]]: { options: { stamp: STAMP }, isFromHome: false, trust: offered },
    [NAMES[1]]: { options: { stamp: STAMP }, isFromHome: true, trust: typedWord },
    [NAMES[2]]: { options: { rspamd }, isFromHome: false, trust: offered },
    [NAMES[3]]: { options: { rspamd }, isFromHome: true, trust: typedWord },
    [NAMES[4]]: { options: { namesLogins: true }, isFromHome: true },
  };
};

interface Listed {
  readonly decision: string;
  readonly received_at: string;
}

describe('from setup with a key in hand to the first answered mail, at a server that is', () => {
  it.each(NAMES)('%s', async (name) => {
    const { options, isFromHome, trust } = places()[name];
    await street.at(options, async (lab, home) => {
      const walked = await street.walk(home, answers(trust, [ownMail(lab, isFromHome)]));
      const { code, left, asked, stood, screen } = walked;
      expect([code, left], screen.slice(-3000)).toEqual([0, []]);
      expect(screen).toContain('Your first mail was answered.');
      expect(screen).not.toContain(KEY);
      expect(asked).toHaveLength(trust ? 10 : 9);
      // The word by which every login is trusted is what makes somebody stop and read.
      const typed = asked.filter((line) => [...Object.keys(TYPED), 'Type trust'].some((one) => line.startsWith(one)));
      expect(typed).toHaveLength(trust?.keys === WORD ? 5 : 4);
      const answered = (await lab.read('you')).filter(({ raw }) => String(raw).includes(ANSWER));
      expect(answered).toHaveLength(1);

      const { json } = await epistle(join(home, 'epistle'), ['mail', 'list']);
      const [refused] = (json.mails as readonly Listed[]).filter(({ decision }) => decision === 'refused');
      expect(refused !== undefined).toBe(trust !== undefined);
      if (!refused) return;
      const shown = stood.find(({ wait }) => wait === REFUSED)?.at ?? Number.POSITIVE_INFINITY;
      const tookS = shown - Date.parse(refused.received_at) / 1000;
      process.stdout.write(`${name}: refused on the screen ${tookS.toFixed(2)} s after its record\n`);
      expect(tookS).toBeLessThan(2);
      // A question did what would else have been written into files.
      expect(screen.slice(screen.indexOf(REFUSED))).not.toMatch(/configs\/\w/);
    });
  });
});

it('asks again where another word is typed than the one that trusts, and says how commands find the workspace', async () => {
  await street.at({ stamp: STAMP }, async (lab, home) => {
    const other = { wait: typedWord.wait, keys: 'ja\r' };
    const walk = answers(typedWord, [ownMail(lab, true)]).flatMap((step) =>
      step === typedWord ? [other, { wait: '"ja" does not count', keys: '' }, typedWord] : [step],
    );
    const { code, left, screen } = await street.walk(home, walk);
    expect([code, left], screen.slice(-3000)).toEqual([0, []]);
    expect(screen.replace(/[\s│]+/g, '')).toContain(`exportEPISTLE_WORKSPACE=${join(home, 'epistle')}`);
  });
});
