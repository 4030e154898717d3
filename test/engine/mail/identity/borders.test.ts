import { afterAll, describe, expect, it } from 'vitest';
import { createSenderChecks } from '../../../../engine/mail/identity/sender-checks.ts';
import { BORDERS } from '../../../corpus/borders/all.ts';
import { isDelegated } from '../../../corpus/borders/conclude.ts';
import type { Facts } from '../../../corpus/borders/facts.ts';
import { HONEST, type Honest, isProvable } from '../../../corpus/borders/honest.ts';
import { knownForgeries } from '../../../corpus/borders/known.ts';
import { VICTIMS, type Victim } from '../../../corpus/borders/letters.ts';
import { someOf } from '../../../size.ts';
import { brought, DOORS, seenBy, throughBorders } from './behind-a-border.ts';

const checks = createSenderChecks();
const authenticatorOf = throughBorders(checks);
afterAll(() => checks.close());

const WRITINGS = [0, 1, 2, 3].map((order) => ({ quotes: order > 1, cleans: order > 1, order }));

describe.each(BORDERS)('an author behind $name', (border) => {
  const authenticator = authenticatorOf(border);

  /** Why it is not proven, by each door. */
  const unprovenOf = ({ letter }: Honest, facts: Facts, address: string): Promise<readonly string[]> =>
    Promise.all(
      DOORS.map(async (door) => {
        const { final, raw } = await brought(letter, { border, facts, door, authenticator });
        const isProven = final.authenticated && final.address === address;
        return isProven
          ? []
          : [`${address}, ${door}, writing ${facts.order}: ${final.detail}\n${raw.toString('latin1')}`];
      }),
    ).then((each) => each.flat());

  it.each(Object.entries(HONEST))('is proven: %s', async (_what, kind) => {
    const unproven: string[] = [];
    const tried = { provable: 0, signed: 0 };
    for (const victim of someOf<Victim>(VICTIMS, 4)) {
      const honest = await kind(victim);
      const seen = await Promise.all(someOf(WRITINGS, 2).map((each) => seenBy(honest.letter, honest.session, each)));
      const provable = seen.filter((facts) => isProvable(border, facts));
      tried.provable += provable.length;
      tried.signed += seen.filter(({ signatures }) => signatures.some(({ result }) => result === 'pass')).length;
      for (const facts of provable) unproven.push(...(await unprovenOf(honest, facts, victim.address)));
    }
    expect(unproven).toEqual([]);
    // Yahoo's own line names no connection, so without a signature nothing of its word can be checked.
    const isTold = border.name !== 'Yahoo' || tried.signed > 0;
    if (border.tellsDmarc && isTold) expect(tried.provable).toBeGreaterThan(0);
  });

  it('is not somebody who only says so: each forgery that has a name', async () => {
    const believed: string[] = [];
    for (const { what, letter, session } of await knownForgeries([border.authservId])) {
      for (const seen of WRITINGS) {
        const facts = await seenBy(letter, session, seen);
        if (isDelegated(facts, border)) continue;
        for (const door of DOORS) {
          const { final } = await brought(letter, { border, facts, door, authenticator });
          if (final.authenticated) believed.push(`${what}, ${door}, writing ${seen.order}: ${final.detail}`);
        }
      }
    }
    expect(believed).toEqual([]);
  });
});
