import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { makeAuthority } from '../fakes/certificates.ts';
import { type MailPeer, startMailPeer } from '../fakes/mail-peer.ts';
import type { Block } from './markdown.ts';
import type { createReader } from './reader.ts';
import { masked } from './shown.ts';

type Reader = ReturnType<typeof createReader>;

/** What stands around a page: what is there before its reader begins, and what has come of it in the end. */
export interface Scene {
  before(): Promise<void> | void;
  /** What the reader has in place of the page's example: their own servers. */
  saved(text: string): string;
  after(blocks: readonly Block[]): Promise<void> | void;
}

const NOTHING: Scene = { before: () => {}, saved: (text) => text, after: () => {} };

export function createScenes(reader: Reader) {
  const peers: MailPeer[] = [];
  const authority = makeAuthority();

  const approvals: Scene = {
    ...NOTHING,
    before: () => reader.save('data/personas/ada/files/plan.txt', 'Monday: lunch\n'),
    async after(blocks) {
      const question = blocks.find(({ text }) => text.startsWith('Subject: '))?.text ?? '';
      const lines = masked(question).split('\n').filter(Boolean).slice(1);
      expect(textOfNotice(reader.workspace())).toEqual(lines);
      const { stdout } = await reader.commands(['approvals', 'list', '--json']);
      const [approval]: { id: string }[] = JSON.parse(stdout).approvals;
      await reader.commands(['approvals', 'approve', approval?.id ?? '']);
      // Any command that works the workspace goes on with what waits there.
      await reader.commands(['send', '--to', 'ada@agents.localhost', '--wait'], 'Thank you.\n');
      const plan = join(reader.workspace(), 'data/personas/ada/files/plan.txt');
      expect(readFileSync(plan, 'utf8')).toBe('Tuesday: lunch\n');
    },
  };

  const mcp: Scene = {
    ...NOTHING,
    before() {
      const program = fileURLToPath(new URL('../fakes/mcp-program.ts', import.meta.url));
      const script = join(reader.workspace(), 'servers/wiki.json');
      const tool = {
        description: 'A tool.',
        inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
      };
      reader.save(
        'servers/wiki.json',
        JSON.stringify({ tools: ['search', 'add_page'].map((name) => ({ name, ...tool })) }),
      );
      reader.save('servers/wiki.js', `process.argv[2] = ${JSON.stringify(script)};\nawait import('${program}');\n`);
      reader.save('.env', 'WIKI_TOKEN=t\nCRM_AUTHORIZATION=Bearer t\n');
    },
    saved: (text) => text.replace('https://crm.example.com/mcp', 'http://127.0.0.1:9/mcp'),
  };

  const mailbox: Scene = {
    ...NOTHING,
    async before() {
      const certificate = authority.issue(['127.0.0.1']);
      peers.push(await startMailPeer({ protocol: 'imap', tls: 'implicit', certificate }));
      peers.push(await startMailPeer({ protocol: 'smtp', tls: 'starttls', certificate }));
      reader.save('.env', 'MAIN_MAILBOX_PASSWORD=secret\n');
      reader.save('configs/inference.json', '{ "provider": "offline" }');
      reader.save('configs/security.json', JSON.stringify({ owners: ['you@example.com'] }));
      for (const id of readdirSync(join(reader.workspace(), 'personas'))) {
        reader.save(
          `personas/${id}/persona.json`,
          JSON.stringify({ name: id, address: `agents+${id}@example.com`, access: { allow: ['*@example.com'] } }),
        );
      }
    },
    saved(text) {
      const gateway = JSON.parse(text);
      const [{ imap, smtp }] = gateway.mailboxes;
      const [imapPeer, smtpPeer] = peers;
      Object.assign(imap, { host: '127.0.0.1', port: imapPeer?.port, tls_ca_file: authority.caFile });
      Object.assign(smtp, { host: '127.0.0.1', port: smtpPeer?.port, tls_ca_file: authority.caFile });
      return JSON.stringify({ ...gateway, smtp_listener: { port: 0 } });
    },
  };

  const scenes: Readonly<Record<string, Scene>> = {
    'docs/approvals.md': approvals,
    'docs/mailbox.md': mailbox,
    'docs/mcp.md': mcp,
  };
  return {
    of: (page: string): Scene => scenes[page] ?? NOTHING,
    async end(): Promise<void> {
      for (const peer of peers) await peer.stop();
      authority.remove();
    },
  };
}

/** The lines of the one approval notice, without Markdown, indentation and signature. */
function textOfNotice(workspace: string): string[] {
  const folder = join(workspace, 'data/outgoing');
  const mails = existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')) : [];
  const raw = mails.find((mail) => mail.includes('X-Epistle-Kind: approval')) ?? '';
  const part = raw.split(/quoted-printable\r\n\r\n/)[1] ?? '';
  const bytes = part
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const text = Buffer.from(bytes, 'latin1').toString('utf8').split('\r\n-- \r\n')[0] ?? '';
  return masked(text.replaceAll('**', '')).split(/\r?\n/).filter(Boolean);
}
