import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest } from './at-rest.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

const elsewhere = mkdtempSync(join(tmpdir(), 'epistle-removed-'));
const root = join(elsewhere, 'restored');
let office: Office;
let gateway: Gateway | undefined;
let deletion: string;
let kept: string;

beforeAll(async () => {
  office = await openOffice();
  await office.ask('/write_file {"path": "plan.txt", "content": "Tea at four"}', OWNER);
  await office.cli('send', '--to', 'ben', '--from', OWNER, '--wait=180', '--text', 'Hello Ben');
  await office.ask('/delete_file {"path": "plan.txt"}', OWNER);
  [{ id: deletion }] = (await office.cli('approvals', 'list')).json.approvals;
  expect(await office.cli('approvals', 'approve', deletion)).toMatchObject({ code: 0 });
  await eventually(
    () => existsSync(join(office.root, 'data/personas/ada/files/plan.txt')),
    (isThere) => !isThere,
  );
  await atRest(office.root);
  await office.stop();
  ({ kept } = (await office.cli('persona', 'delete', 'ben')).json);
  const { path } = (await office.cli('backup', 'create', '--to', join(elsewhere, 'backups'))).json;
  expect(await epistle(office.root, ['backup', 'verify', path])).toMatchObject({ code: 0, json: { problems: [] } });
  expect(await epistle(office.root, ['backup', 'restore', path, '--to', root])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await gateway?.end();
  await office.close();
  rmSync(elsewhere, { recursive: true, force: true });
});

describe('a workspace that is restored', () => {
  it('brings a deleted file back, as it would have before', async () => {
    const file = join(root, 'data/personas/ada/files/plan.txt');
    expect(existsSync(file)).toBe(false);
    gateway = await startGateway(root);
    expect(await epistle(root, ['approvals', 'undo', deletion])).toMatchObject({ code: 0 });
    await eventually(
      () => existsSync(file),
      (isBack) => isBack,
    );
    expect(readFileSync(file, 'utf8')).toBe('Tea at four');
  });

  it('has what a deleted persona had, and its mails with it', () => {
    expect(kept).toMatch(/^deleted\/ben-/);
    const [was, is] = [office.root, root].map((folder) => join(folder, kept));
    for (const part of ['persona', 'data', 'data/mail'])
      expect([part, readdirSync(join(is ?? '', part)).toSorted()]).toEqual([
        part,
        readdirSync(join(was ?? '', part)).toSorted(),
      ]);
  });
});
