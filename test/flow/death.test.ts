import { afterEach, expect, it } from 'vitest';
import { deathOf } from './death.ts';
import { launchGateway, submit } from './gateway.ts';
import { ADA, MEMBER } from './governance-rig.ts';
import { makeWorkspace } from './workspace.ts';

const made: { remove(): void }[] = [];
afterEach(() => {
  for (const workspace of made.splice(0)) workspace.remove();
});

const started = async (at: string) => {
  const workspace = makeWorkspace();
  made.push(workspace);
  const gateway = await launchGateway(workspace.root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: at }).ready;
  return { ...gateway, root: workspace.root };
};
const mail = { from: MEMBER, to: ADA, text: 'Hello?' };

it('a gateway that dies where it was to die is waited for', async () => {
  const gateway = await started('run.finished');
  await submit(gateway.root, gateway.ready, mail);
  await gateway.death();
  expect(gateway.process.signalCode).toBe('SIGKILL');
});

it('one that never comes there is ended, and its record says how far it came', async () => {
  const gateway = await started('active.begun');
  await submit(gateway.root, gateway.ready, mail);
  const waited = deathOf(gateway, { root: gateway.root, at: 'active.begun', stillMs: 3000 });
  await expect(waited).rejects.toThrow(/did nothing any more and did not come to active\.begun: .*runs done/);
  expect(gateway.process.signalCode).toBe('SIGKILL');
});

it('one that ends otherwise has not come there either', async () => {
  const gateway = await started('active.begun');
  const waited = gateway.death();
  await Promise.all([gateway.stop(), expect(waited).rejects.toThrow('ended with 0 and did not come to active.begun')]);
});
