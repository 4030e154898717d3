import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserAt, openMailed, readDatabase } from './console-rig.ts';
import { OWNER } from './governance-rig.ts';

let office: Awaited<ReturnType<typeof openMailed>>;
beforeEach(async () => {
  office = await openMailed();
}, 120_000);
afterEach(() => office.close());

const rows = () => readDatabase(office.root, 'select mailed_at, code_sha256 from console_log_ins');

describe('a gateway that is killed while somebody waits for the mail that lets them in', () => {
  it.each([
    // Nothing had left: it does once the gateway is there again.
    ['log_in.asked', 1],
    // It is on record that it would leave. Whether it did is not known, so it never leaves a second time.
    ['log_in.recorded', 0],
    ['log_in.handed_over', 1],
    ['log_in.settled', 1],
  ] as const)('at %s sends %i mails, and keeps none', async (label, mails) => {
    const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
    const browser = browserAt(office.url());
    await browser.ask(OWNER).catch(() => {});
    await dying.death();
    await office.launch({});
    // Whoever asks now is looked up behind those of before.
    await browserAt(office.url()).ask('nobody@example.com');
    await expect.poll(() => rows().filter(({ mailed_at: at }) => at === null), { timeout: 60_000 }).toEqual([]);
    if (mails === 1) await office.mailed(1);
    expect(office.links()).toHaveLength(mails);
    expect(rows()).toHaveLength(1);
    expect(office.links().some((link) => JSON.stringify(rows()).includes(new URL(link).hash.slice(1)))).toBe(false);
  });
});
