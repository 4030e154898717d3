import { ImapFlow } from 'imapflow';

export interface ReadMail {
  readonly uid: number;
  readonly flags: readonly string[];
  readonly raw: Buffer;
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly folder: string;
}

/** What a mail program shows of a folder; a session of its own, so that it sees what is there now. */
export async function readFolder(place: Place, password: string): Promise<ReadMail[]> {
  return inSession(place, password, async (client) => {
    const box = await client.mailboxOpen(place.folder, { readOnly: true });
    if (box.exists === 0) return [];
    const mails = await client.fetchAll('1:*', { uid: true, flags: true, source: true });
    return mails.map(({ uid, flags, source }) => ({ uid, flags: [...(flags ?? [])], raw: source ?? Buffer.alloc(0) }));
  });
}

/** Puts a mail into a folder, as providers file what was sent through them. */
export async function fileInto(place: Place, password: string, raw: Uint8Array): Promise<void> {
  await inSession(place, password, (client) => client.append(place.folder, Buffer.from(raw), ['\\Seen']));
}

async function inSession<Result>(place: Place, password: string, work: (client: ImapFlow) => Promise<Result>) {
  const { host, port, user } = place;
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
    return await work(client);
  } finally {
    await client.logout();
  }
}
