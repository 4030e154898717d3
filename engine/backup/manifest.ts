import { z } from 'zod';
import { readJson } from '../lib/json.ts';

/** Name of the file that makes a folder a backup. It is written last, so a folder without it is a broken attempt. */
export const MANIFEST = 'manifest.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const copiedFile = z.strictObject({
  /** Below `workspace/` or `data/` of the backup, with `/`. */
  path: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256,
});

/** A symbolic link is kept as one; its target is never read. */
const copiedLink = z.strictObject({ path: z.string(), target: z.string() });

const copiedDatabase = copiedFile.extend({
  /** Null: the database of the gateway. */
  persona: z.string().nullable(),
  rows: z.record(z.string(), z.number()),
});

const manifest = z.strictObject({
  format: z.literal(1),
  /** Version of Epistle that wrote the backup. */
  version: z.string(),
  created_at: z.string(),
  /** The folder that was copied; missing in older ones. */
  workspace: z.string().exactOptional(),
  /** Of that workspace, wherever its folder is; missing in older ones. */
  workspace_id: z.string().max(100).exactOptional(),
  /** The machine on which that folder was; missing in older ones. */
  host: z.string().max(300).exactOptional(),
  /** Whether `.env`, the secret of submission and the tokens of mailboxes are in it. */
  secrets: z.boolean(),
  databases: z.array(copiedDatabase),
  files: z.array(copiedFile),
  links: z.array(copiedLink),
});

export type CopiedFile = z.infer<typeof copiedFile>;
export type CopiedLink = z.infer<typeof copiedLink>;
export type CopiedDatabase = z.infer<typeof copiedDatabase>;
export type BackupManifest = z.infer<typeof manifest>;

export const manifestBytes = (value: BackupManifest): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

/** Undefined where the text is no manifest of this format. */
export const readManifest = (text: string): BackupManifest | undefined => readJson(manifest, text);

/** Whether a path of a manifest stays below the folder that it is put into. */
export const isInside = (path: string): boolean =>
  !path.startsWith('/') &&
  !path.includes('\\') &&
  path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
