import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { recordOf, toolFiles } from './explain-rig.ts';
import { type Modelled, openModelled } from './office-with-model.ts';

// Each is a story of several processes: a gateway, and a command line call for every look.
const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

/** Says that it has begun, and never ends. */
const HANG = toolFiles('hang', {
  risk: 'create',
  scope: 'web:create',
  body: `const { writeFileSync } = await import('node:fs');
    writeFileSync(new URL('../../../begun', import.meta.url), ''); await new Promise(() => {});`,
});

/** A mail whose run is in the middle of a call that hangs. */
async function hanging({ launched = false } = {}) {
  const made = await openModelled((turn, mail) => {
    // The later mail of the thread comes with the earlier one.
    if (turn > 0 || !mail.includes('Push') || mail.includes('And now?')) return { text: 'Thank you for your mail.' };
    const write = { name: 'write_file', arguments: { path: 'note.txt', content: 'a note' } };
    return { calls: [{ name: 'list_files', arguments: {} }, { name: 'hang', arguments: {} }, write] };
  }, HANG);
  open.made = made;
  const { office } = made;
  if (launched) await office.launch();
  const messageId = await office.post({ from: MEMBER, subject: 'A request', text: 'Push it.' });
  await vi.waitFor(() => expect(existsSync(join(office.root, 'begun'))).toBe(true), 90_000);
  const [run] = (await office.cli('runs', 'list')).json.runs;
  return { made, office, id: run.id as string, messageId };
}

/** Whether each call on record has its one result, and the other views of the run are what they have to be. */
async function lookAt({ office }: Modelled, id: string) {
  const { rows } = recordOf({ office }, { id });
  const codes = rows.flatMap(({ event_type, tool_name, payload_json }) =>
    event_type === 'tool_result' ? [`${tool_name} ${JSON.parse(payload_json).error?.code}`] : [],
  );
  const { replay } = (await office.cli('runs', 'replay', id)).json;
  const { explained } = (await office.cli('runs', 'explain', id)).json;
  return { calls: rows.length - codes.length, codes, identical: replay.identical, missing: explained.missing };
}

const CLOSED = {
  calls: 3,
  codes: ['list_files skipped', 'hang side_effect_unknown', 'write_file side_effect_unknown'],
  identical: true,
  missing: [],
};

describe('a run that is cut off in the middle of its calls', () => {
  it('by STOP: has a result for each call, the owner hears what may have been done, and the thread goes on', async () => {
    const { made, office, id, messageId } = await hanging();
    await office.post({ subject: 'STOP', text: '' });
    const { mail } = await office.arrival('notice', OWNER);
    expect(mail.text).toMatch(/I gave up 1 job\..*middle of this: hang, writing a file\. It may or may not/s);
    expect(await lookAt(made, id)).toEqual(CLOSED);
    await office.post({ subject: 'RESUME', text: '' });
    await office.arrival('notice', OWNER, 2);
    await office.post({ from: MEMBER, subject: 'Re: A request', text: 'And now?', inReplyTo: messageId });
    await office.arrival('reply', MEMBER);
    expect((await office.cli('runs', 'show', id)).json.run.status).toBe('cancelled');
  });

  it('by runs cancel: has a result for each call, and the owner hears what may have been done', async () => {
    const { made, office, id } = await hanging();
    expect((await office.cli('runs', 'cancel', id)).code).toBe(0);
    await office.arrival('reply', MEMBER);
    const { mail } = await office.arrival('notice', OWNER);
    expect(mail.text).toContain('in the middle of this: hang, writing a file');
    expect(await lookAt(made, id)).toEqual(CLOSED);
  });

  it('by a crash, and cancelled before anybody went on: has a result for each call', async () => {
    const { made, office, id } = await hanging({ launched: true });
    process.kill(office.ready().pid, 'SIGKILL');
    expect((await office.cli('runs', 'cancel', id)).code).toBe(0);
    expect(await lookAt(made, id)).toEqual(CLOSED);
    await office.restart();
    const { mail } = await office.arrival('notice', OWNER);
    expect(mail.text).toContain('in the middle of this: hang, writing a file');
  });
});

it('A run of a persona whose files are wrong is not cancelled in silence: the command names the cure', async () => {
  const { office, id } = await hanging();
  const file = join(office.root, 'personas/ada/persona.json');
  const good = readFileSync(file, 'utf8');
  writeFileSync(file, good.replace('{', '{ "colour": "blue",'));
  const refused = await office.cli('runs', 'cancel', id);
  expect(refused).toMatchObject({ code: 2, json: { error: { code: 'config_invalid' } } });
  expect(refused.json.error.message).toContain('epistle persona validate ada');
  expect((await office.cli('runs', 'show', id)).json.run.status).toBe('running');
  writeFileSync(file, good);
  expect((await office.cli('runs', 'cancel', id)).code).toBe(0);
  await office.arrival('reply', MEMBER);
});
