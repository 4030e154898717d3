import type { Random } from '../../../../scripts/lib/soak/random.ts';
import type { SignOptions } from '../../../fakes/signer.ts';
import type { Border, Session } from '../facts.ts';
import {
  attackerSession,
  EVIL,
  type Letter,
  neighbours,
  PERSONA,
  SELECTORS,
  signAsAttacker,
  VICTIMS,
  type Victim,
  written,
} from '../letters.ts';
import { anOriginal, aSpentOriginal, type Original } from '../originals.ts';
import { added, crowded, hidden, lengthened, onTop, redirected, respelled, reworded } from './changes.ts';
import { forgedReceived, forgedResults } from './headers.ts';
import { claim, hostileName, hostileSender, payload } from './hostile.ts';

/** A mail as a forger hands it to the border. */
export interface Attack {
  readonly letter: Letter;
  readonly session: Session;
  /** What of a victim it is made of; null: of nothing. */
  readonly original: Original | null;
}

export interface Means {
  readonly border: Border;
  readonly originals: readonly Original[];
}

type Way = (random: Random, means: Means) => Attack | Promise<Attack>;

const aVictim = (random: Random): Victim => random.pick(VICTIMS);

const fromVictim = ({ address }: Victim): Letter => written({ from: `The Owner <${address}>` });

const invented = (letter: Letter, session: Partial<Session> = {}): Attack => ({
  letter,
  session: attackerSession(session),
  original: null,
});

const sentOn = (original: Original, letter: Letter, session: Partial<Session> = {}): Attack => ({
  letter,
  session: attackerSession(session),
  original,
});

const plainSender = (random: Random, victim: Victim): Partial<Session> =>
  random.pick([{}, {}, { mailFrom: '' }, { mailFrom: victim.address }, { mailFrom: 'x@nobody.test' }]);

const neighbour = (random: Random, victim: Victim): string => random.pick(neighbours(victim));

/** Everything at once that a neighbour of a victim's domain can do: SPF of his own, a signature of his own. */
async function fromNeighbour(
  random: Random,
  victim: Victim,
  letter: Letter,
): Promise<{ letter: Letter; session: Partial<Session> }> {
  const domain = neighbour(random, victim);
  const mailFrom = random.chance(0.7) ? `owner@${domain}` : '';
  const session = { mailFrom, helo: domain, hostname: domain };
  if (random.chance(0.5)) return { letter, session };
  return { letter: await signAsAttacker(letter, domain, { at: Date.now() }), session };
}

/** As new, and to the persona, as far as no signature covers that. */
const renew = (letter: Letter): Letter => ({
  ...letter,
  head: letter.head.map((field) => {
    if (/^to:/i.test(field)) return `To: ${PERSONA}`;
    return /^date:/i.test(field) ? `Date: ${new Date().toUTCString().replace('GMT', '+0000')}` : field;
  }),
});

const OWN_SIGNATURE = [{}, { covers: 'from' }, { covers: 'from:to:subject:date:content-type:reply-to' }] as const;

export const ATTACKS: Readonly<Record<string, Way>> = {
  'an envelope sender of results'(random) {
    const victim = aVictim(random);
    return invented(fromVictim(victim), { mailFrom: hostileSender(random, victim) });
  },
  async 'an envelope sender of results, and a signature'(random) {
    const victim = aVictim(random);
    const letter = await signAsAttacker(fromVictim(victim), EVIL);
    return invented(letter, { mailFrom: hostileSender(random, victim) });
  },
  'a greeting of results'(random) {
    const victim = aVictim(random);
    const mailFrom = random.pick(['', '', `x@${EVIL}`]);
    return invented(fromVictim(victim), { mailFrom, helo: hostileName(random, victim) });
  },
  'a host name of results'(random) {
    const victim = aVictim(random);
    return invented(fromVictim(victim), { hostname: hostileName(random, victim) });
  },
  'a name of results'(random) {
    const victim = aVictim(random);
    const name = payload(random, victim).replace(/[\r\n]/g, '');
    const quoted = `"${name.replace(/(["\\])/g, '\\$1')}" <${victim.address}>`;
    const from = random.pick([quoted, `=?utf-8?b?${Buffer.from(name).toString('base64')}?= <${victim.address}>`]);
    return invented(written({ from, subject: name }), plainSender(random, victim));
  },
  'a From that two read differently'(random) {
    const victim = aVictim(random);
    const mallory = `mallory@${EVIL}`;
    const from = random.pick([
      `${victim.address}, ${mallory}`,
      `${mallory}, ${victim.address}`,
      `"${victim.address}" <${mallory}>`,
      `${victim.address} <${mallory}>`,
      `<${victim.address}> <${mallory}>`,
      `${mallory} <${victim.address}>`,
      `<${mallory}> (${victim.address})`,
      `<${victim.address}> (<${mallory}>)`,
      `<@${EVIL}:${victim.address}>`,
      `"${mallory}"@${victim.domain}`,
      `owner@${victim.domain};dmarc=pass`,
      `owner@${victim.domain}.${EVIL}`,
      `owner@${EVIL}(@${victim.domain})`,
      `group: ${victim.address}, ${mallory};`,
    ]);
    const letter = written({ from });
    const twice = random.chance(0.25) ? onTop(letter, `From: ${mallory}`) : letter;
    return invented(twice, random.chance(0.5) ? {} : { mailFrom: mallory });
  },
  async 'an identity of results in a valid signature'(random) {
    const victim = aVictim(random);
    const words = payload(random, victim);
    const encoded = words.replace(/[^a-z0-9.]/gi, (letter) =>
      [...Buffer.from(letter)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    );
    const raw = [...words].filter((letter) => letter > ' ' && letter !== ';' && letter !== '\u007f').join('');
    const identity = random.pick([`${encoded}@${EVIL}`, `"${encoded}"@${EVIL}`, `${raw}@${EVIL}`, `x@mail.${EVIL}`]);
    const letter = await signAsAttacker(fromVictim(victim), EVIL, { identity }).catch(() => fromVictim(victim));
    return invented(letter, plainSender(random, victim));
  },
  async 'selectors of signs in valid signatures'(random) {
    const victim = aVictim(random);
    const identity = random.chance(0.5)
      ? {}
      : {
          identity: `x=3B${claim(random, victim).replaceAll('=', '=3D').replaceAll(' ', '=20').replaceAll(';', '=3B')}=3By=3D@${EVIL}`,
        };
    const signed = async (letter: Letter, more: SignOptions) =>
      signAsAttacker(letter, EVIL, { selector: random.pick(SELECTORS), ...more }).catch(() => letter);
    const letter = await signed(await signed(fromVictim(victim), {}), identity);
    return invented(
      letter,
      random.chance(0.5) ? { mailFrom: hostileSender(random, victim) } : plainSender(random, victim),
    );
  },
  'a signature that does not hold, of results'(random) {
    const victim = aVictim(random);
    const words = payload(random, victim);
    const tag = (wanted: string, plain: string) => (random.chance(0.4) ? wanted : plain);
    const domain = tag(
      random.pick([words, `${victim.domain} ${EVIL}`, `"${victim.domain}"`]),
      random.pick([victim.domain, EVIL]),
    );
    const fields = Array.from(
      { length: random.between(1, 3) },
      () =>
        `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain};\r\n s=${tag(words, 'k')}; i=${tag(words, `@${domain}`)}; h=from; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=${tag(words, 'AAAAAAAA')}`,
    );
    return invented(onTop(fromVictim(victim), ...fields), plainSender(random, victim));
  },
  'results that came along'(random, { border }) {
    const victim = aVictim(random);
    const lines = Array.from({ length: random.between(1, 3) }, () => forgedResults(random, border, victim));
    return invented(onTop(fromVictim(victim), ...lines), plainSender(random, victim));
  },
  'results that came along below lines of the house'(random, { border }) {
    const victim = aVictim(random);
    const lines = Array.from({ length: random.between(2, 6) }, () =>
      random.chance(0.5) ? forgedReceived(random, border) : forgedResults(random, border, victim),
    );
    const returned = random.chance(0.3) ? [`Return-Path: <${victim.address}>`] : [];
    const letter = onTop(
      fromVictim(victim),
      ...returned,
      ...lines,
      forgedReceived(random, border),
      forgedResults(random, border, victim),
    );
    return invented(letter, plainSender(random, victim));
  },
  async 'results that came along, and a signature'(random, { border }) {
    const victim = aVictim(random);
    const signed = await signAsAttacker(fromVictim(victim), random.pick([EVIL, ...neighbours(victim)]));
    const lines = [forgedReceived(random, border), forgedResults(random, border, victim)];
    return invented(onTop(signed, ...(random.chance(0.5) ? lines : lines.toReversed())), plainSender(random, victim));
  },
  'an old or foreign mail sent on'(random, { originals }) {
    const original = aSpentOriginal(random, originals);
    return sentOn(original, original.letter, plainSender(random, original.victim));
  },
  'a recent mail sent on'(random, { originals }) {
    const original = anOriginal(random, originals);
    return sentOn(original, original.letter, plainSender(random, original.victim));
  },
  'another spelling of b= in an old or foreign mail'(random, { originals }) {
    const original = aSpentOriginal(random, originals);
    return sentOn(original, respelled(random, original.letter), plainSender(random, original.victim));
  },
  'another spelling of b=, and other headers'(random, { originals }) {
    const original = anOriginal(random, originals);
    const letter = respelled(random, added(random, original.letter));
    return sentOn(original, letter, plainSender(random, original.victim));
  },
  'a signature that readers miss or see twice'(random, { originals }) {
    const original = anOriginal(random, originals);
    const letter = random.chance(0.5) ? original.letter : added(random, original.letter);
    return sentOn(original, hidden(random, letter), plainSender(random, original.victim));
  },
  'other headers'(random, { originals }) {
    const original = anOriginal(random, originals);
    const letter = random.chance(0.5) ? redirected(random, original.letter) : added(random, original.letter);
    return sentOn(original, letter, plainSender(random, original.victim));
  },
  'more headers than anybody reads'(random, { border, originals }) {
    const original = anOriginal(random, originals);
    const { victim } = original;
    const bare = original.letter.head.some((field) => /\bh=\s*(?:Date:\s*)?From;/i.test(field));
    const renewed = bare && random.chance(0.7) ? renew(original.letter) : original.letter;
    const filled = crowded(random, random.chance(0.3) ? added(random, renewed) : renewed);
    const top = random.chance(0.3) ? onTop(filled, forgedResults(random, border, victim)) : filled;
    return sentOn(original, top, plainSender(random, victim));
  },
  async 'more signatures than anybody reads'(random, { originals }) {
    const original = anOriginal(random, originals);
    const { victim } = original;
    const long = `${random.pick(['x', victim.domain, 'k'])}${'y'.repeat(random.between(0, 180))}`;
    const domain = random.pick([EVIL, victim.domain, `${long}.${EVIL}`]);
    const fields = Array.from(
      { length: random.pick([5, 11, 30, 49, 51, 70, 120]) },
      (_none, at) =>
        `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=s${at}${long}; i=${'z'.repeat(random.between(0, 60))}@${domain}; h=from; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA${at}`,
    );
    const base = random.chance(0.5) ? original.letter : added(random, original.letter);
    const signed = random.chance(0.5) ? await signAsAttacker(base, random.pick([EVIL, ...neighbours(victim)])) : base;
    const crowd = random.chance(0.5) ? onTop(signed, ...fields) : { ...signed, head: [...signed.head, ...fields] };
    return sentOn(original, crowd, plainSender(random, victim));
  },
  'more than was signed'(random, { originals }) {
    const original = anOriginal(random, originals);
    const letter = random.chance(0.8) ? lengthened(original.letter) : reworded(original.letter);
    return sentOn(
      original,
      random.chance(0.5) ? letter : respelled(random, letter),
      plainSender(random, original.victim),
    );
  },
  async 'a second signature'(random, { originals }) {
    const original = anOriginal(random, originals);
    const { victim } = original;
    const domain = random.pick([EVIL, EVIL, ...neighbours(victim)]);
    const changed = random.chance(0.6) ? added(random, original.letter) : lengthened(original.letter);
    const letter = random.chance(0.3) ? original.letter : changed;
    const spelled = random.chance(0.4) ? respelled(random, letter) : letter;
    const signed = await signAsAttacker(spelled, domain, { ...random.pick(OWN_SIGNATURE), at: Date.now() });
    // Below the victim's, too.
    const [own = '', ...rest] = signed.head;
    const moved = random.chance(0.5) ? signed : { ...signed, head: [...rest, own] };
    return sentOn(original, moved, plainSender(random, victim));
  },
  async 'a neighbour of the domain'(random) {
    const victim = aVictim(random);
    const { letter, session } = await fromNeighbour(random, victim, fromVictim(victim));
    return invented(letter, session);
  },
  async 'a neighbour of the domain who sends on'(random, { originals }) {
    const original = anOriginal(random, originals);
    const changed = random.chance(0.5) ? original.letter : added(random, original.letter);
    const spelled = random.chance(0.3) ? respelled(random, changed) : changed;
    const { letter, session } = await fromNeighbour(random, original.victim, spelled);
    return sentOn(original, letter, session);
  },
  async 'all of it at once'(random, { border, originals }) {
    const original = anOriginal(random, originals);
    const { victim } = original;
    const steps: readonly ((letter: Letter) => Letter)[] = [
      (letter) => respelled(random, letter),
      (letter) => added(random, letter),
      (letter) => hidden(random, letter),
      (letter) => redirected(random, letter),
      (letter) => onTop(letter, forgedReceived(random, border), forgedResults(random, border, victim)),
      (letter) => onTop(letter, forgedResults(random, border, victim)),
      (letter) => lengthened(letter),
    ];
    const changed = steps.filter(() => random.chance(0.35)).reduce((letter, step) => step(letter), original.letter);
    const letter = random.chance(0.3) ? await signAsAttacker(changed, EVIL).catch(() => changed) : changed;
    const session = {
      mailFrom: random.chance(0.6) ? hostileSender(random, victim) : `x@${neighbour(random, victim)}`,
      helo: random.chance(0.3) ? hostileName(random, victim) : `out.${EVIL}`,
    };
    return sentOn(original, letter, session);
  },
};
