import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { unpackOldVersion } from '../../scripts/lib/package/story-upgrade.ts';
import { differing, leavesIn } from '../flow/settings-leaves.ts';
import { root as checkout } from '../house/sources.ts';
import { SIZE } from '../size.ts';
import { assertAnswered, assertOnceEach, assertToldOfUpgrade } from './walks/answered.ts';
import {
  closeHouse,
  command,
  endByHand,
  type House,
  KINDS,
  NEW_PROGRAM,
  openHouse,
  readJson,
  settle,
  takenUp,
} from './walks/house.ts';
import { STEPS, type Step, walksOf } from './walks/steps.ts';

const SEED = Number(process.env.EPISTLE_TEST_SEED ?? 20_261_129);
const IS_FULL = SIZE >= 20;
const place = mkdtempSync(join(tmpdir(), 'epistle-before-'));
const oldVersion = IS_FULL ? unpackOldVersion(checkout, place) : null;
const kindOf = (at: number) => KINDS[at % KINDS.length] ?? 'plain';

/** Walks with this version, and some that begin with the one before, where the history of the checkout has that still. */
const WALKS = [
  ...walksOf(SEED, IS_FULL ? 24 : 2).map((steps, at) => ({ at, kind: kindOf(at), steps, from: NEW_PROGRAM })),
  ...(oldVersion === null ? [] : walksOf(SEED + 1, 4)).map((steps, at) => ({
    at: 24 + at,
    kind: kindOf(at),
    steps,
    from: join(oldVersion ?? '', 'bin/epistle.js'),
  })),
].map((walk) => ({ ...walk, steps: IS_FULL ? walk.steps : walk.steps.slice(0, 4) }));

/** After it nothing has changed that it did not name, and everybody is answered. */
async function take(house: House, name: string, { kind, n }: Step): Promise<void> {
  const before = leavesIn(house.root);
  const allowed = await STEPS[kind](house, n);
  await takenUp();
  const strange = differing(before, leavesIn(house.root)).filter(
    (key) => !allowed.some((each) => key.startsWith(each)),
  );
  expect(strange).toEqual([]);
  expect(existsSync(join(house.root, 'configs/.change.json'))).toBe(false);
  expect(statSync(join(house.root, '.env')).mode & 0o777).toBe(0o600);
  await assertAnswered(house, name);
}

async function walk(house: House, steps: readonly Step[]): Promise<void> {
  for (const [at, step] of steps.entries()) {
    await take(house, `step${at + 1}`, step).catch((error) => {
      throw new Error(`step ${at + 1} of ${JSON.stringify(steps)}, seed ${SEED}: ${error.message}`, { cause: error });
    });
  }
  // Whatever was still to come has come with its end.
  await command(house, ['stop']);
  await assertOnceEach(house);
}

/** The program is another one from then on, which takes over what is there. */
async function upgrade(house: House): Promise<void> {
  const before = leavesIn(house.root);
  await endByHand(house);
  house.program = NEW_PROGRAM;
  await command(house, ['restart']);
  // What was there is copied before the databases are changed.
  const changed = differing(before, leavesIn(house.root)).filter((key) => !key.startsWith('backups/'));
  expect(changed).toEqual([]);
  const { owners } = readJson(house.root, 'configs/security.json');
  house.told.push(...owners.map((owner: string) => ({ owner, by: 'agents' })));
  await assertAnswered(house, 'upgraded');
  await assertToldOfUpgrade(house);
}

describe('a walk over everything that changes a workspace, at real servers', () => {
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it.concurrent.for(WALKS)(
    'has every mail answered once, by the right mailbox: $at, where the server $kind',
    { timeout: 900_000 },
    async ({ at, kind, steps, from }) => {
      const house = await openHouse(kind, from);
      try {
        await settle(house, kind);
        await assertAnswered(house, 'begin');
        if (from !== NEW_PROGRAM) await upgrade(house);
        await walk(house, steps);
        const [mails, slowest] = [house.sent.length, (Math.max(...house.tookMs) / 1000).toFixed(1)];
        process.stdout.write(
          `walk ${at}: ${steps.length} steps, ${mails} mails answered, the slowest within ${slowest} s\n`,
        );
      } finally {
        await closeHouse(house);
      }
    },
  );
});
