import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { epistle, epistleAlone } from './gateway.ts';
import { launchOffice, type Office, OWNER } from './governance-rig.ts';

export type Kind = 'tool' | 'provider' | 'resolver' | 'hook';

/** One extension of the workspace, listed; `top` stands above its default export. */
export const extension = (kind: Kind, name: string, top: string, definition: string, manifest: object = {}) => ({
  [`extensions/${kind}s/${name}/manifest.json`]: { name, kind, api: 1, summary: name, entry: 'index.mjs', ...manifest },
  [`extensions/${kind}s/${name}/index.mjs`]: `${top}\nexport default ${definition};\n`,
});

export const tool = (top: string, run = 'run: () => "fine"', manifest: object = {}, name = 'bad') =>
  extension(
    'tool',
    name,
    top,
    `{ description: 'Misbehaves', risk: 'read', scope: 'web:read', input: { type: 'object' }, ${run} }`,
    manifest,
  );

export type Files = Readonly<Record<string, string | object>>;

/** Commands load the extensions too, so each has a process of its own; but not the one that only sends a mail. */
const alone: typeof epistle = (root, args, stdin = '') =>
  args[0] === 'send' ? epistle(root, args, stdin) : epistleAlone(root, args, { stdin });

export const officeWith = (files: Files, listing: object): Promise<Office> =>
  launchOffice({ 'extensions/extensions.json': listing, ...files }, {}, alone);

/** Mail as an owner writes it, worked to its end; what came of it. */
export const answered = async (office: Office, text = '/list_files {}') => {
  const { json } = await office.ask(text, OWNER);
  const [result] = json.results;
  expect(result).toMatchObject({ decision: 'accepted', status: 'done' });
  return result.reply.text as string;
};

type Listing = { extensions: { name: string; kind: string }[] };
const found = ({ extensions }: Listing, names: readonly string[], kind: Kind) =>
  names.map((name) => extensions.find((one) => one.name === name && one.kind === kind));

/** How extensions stand in what both commands say. */
export async function standings(office: Office, names: readonly string[], kind: Kind) {
  const find = (document: Listing) => found(document, names, kind);
  const [status, list] = await Promise.all([office.cli('status'), office.cli('extensions', 'list')]);
  const off = status.json.extensions.some(({ state }: { state: string }) => state === 'error');
  expect([status.code, list.code]).toEqual([off ? 1 : 0, 0]);
  expect(find(status.json)).toEqual(find(list.json));
  return find(status.json);
}

export const standing = async (office: Office) => (await standings(office, ['bad'], 'tool'))[0];

/** Each is off, for a reason in words like these, and both commands say so. */
export async function saidToBeOff(office: Office, messages: Readonly<Record<string, RegExp>>, kind: Kind) {
  const names = Object.keys(messages);
  const expected = Object.entries(messages).map(([name, message]) => ({
    name,
    state: 'error',
    error: { message: expect.stringMatching(message), file: expect.stringContaining(`/${name}/`) },
  }));
  expect(await standings(office, names, kind)).toMatchObject(expected);
}

/** What the gateway publishes of itself. */
export const stateOf = (office: Office) => JSON.parse(readFileSync(join(office.root, 'data/state.json'), 'utf8'));

/** Waits until the gateway has switched them off that run. */
export const switching = (office: Office, names: readonly string[], kind: Kind) =>
  vi.waitFor(
    () => {
      const { extension_errors: failed } = stateOf(office);
      expect(failed).toEqual(expect.arrayContaining(names.map((name) => expect.objectContaining({ kind, name }))));
    },
    { timeout: 90_000, interval: 50 },
  );

export async function switchedOff(office: Office, message: RegExp, kind: Kind = 'tool') {
  await switching(office, ['bad'], kind);
  await saidToBeOff(office, { bad: message }, kind);
}
