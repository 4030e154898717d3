import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeardMail } from '../../../test/fakes/smtp-peer.ts';
import type { Left } from './tally.ts';

/** What lies in `data/outgoing/`. */
export function leftInFolder(root: string): Left[] {
  const folder = join(root, 'data/outgoing');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return files.map((name) => {
    const text = readFileSync(join(folder, name), 'latin1');
    const body = text.indexOf('X-Envelope-To:');
    return leftOf(
      text.slice('X-Envelope-From: '.length, text.indexOf('\r\n')),
      text.slice(text.indexOf('\n', body) + 1),
    );
  });
}

/** What an SMTP server heard. */
export const leftOverSmtp = (heard: readonly HeardMail[]): Left[] => heard.map(({ from, raw }) => leftOf(from, raw));

function leftOf(from: string, bytes: string): Left {
  const headers = bytes.slice(0, bytes.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(headers)?.[1]?.trim() ?? null;
  return { from, bytes, messageId: header('Message-ID') ?? '', inReplyTo: header('In-Reply-To') };
}
