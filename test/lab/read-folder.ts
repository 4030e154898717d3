import { ImapFlow } from 'imapflow';

export interface ReadMail {
  readonly uid: number;
  readonly flags: readonly string[];
  readonly raw: Buffer;
}

/** What a mail program shows of a folder; a session of its own, so that it sees what is there now. */
export async function readFolder(
  place: { host: string; port: number; user: string; folder: string },
  password: string,
): Promise<ReadMail[]> {
  const { host, port, user, folder } = place;
  const client = new ImapFlow({
    host,
    port,
    secure: false,
    doSTARTTLS: false,
    auth: { user, pass: password },
    logger: false,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const box = await client.mailboxOpen(folder, { readOnly: true });
    if (box.exists === 0) return [];
    const mails = await client.fetchAll('1:*', { uid: true, flags: true, source: true });
    return mails.map(({ uid, flags, source }) => ({ uid, flags: [...(flags ?? [])], raw: source ?? Buffer.alloc(0) }));
  } finally {
    await client.logout();
  }
}
