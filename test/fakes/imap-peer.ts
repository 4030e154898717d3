import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** When mail came whose test does not care: before any day on which tests are run. */
const LONG_AGO = '21-Nov-2016 10:00:00 +0000';

export interface PeerMail {
  readonly uid: number;
  readonly raw: string;
  /**
   * When its body is asked for: refuse the command, end the connection, leave it out of the answer, or hand out no content
   * (`nil`, `empty`), a text without a header, the half of the header, the begin of the mail, or a text of the server's own.
   * `unlist`: it is named by SEARCH alone.
   */
  trouble?: Trouble | undefined;
  readonly date?: string;
  readonly flags?: string;
}

export type Trouble =
  | 'refuse'
  | 'drop'
  | 'omit'
  | 'nil'
  | 'empty'
  | 'headless'
  | 'half_header'
  | 'short'
  | 'substitute'
  | 'unlist';

export interface ImapScript {
  capabilities?: string;
  mails: PeerMail[];
  uidValidity?: number;
  uidNext?: number;
  /** The tagged answer to LOGIN. */
  login?: string;
  /** Whether this user may log in with this access token; without it there is no AUTHENTICATE. */
  bearer?: (user: string, token: string) => boolean;
  /** Whole commands by name that get this tagged answer instead. */
  answers?: Readonly<Record<string, string>>;
}

/** A small IMAP server on loopback for what a real one does not do on demand. Keeps the commands that it heard. */
export async function startImapPeer(script: ImapScript) {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const sessions = new Map<Socket, PeerSession>();
  const events = new EventEmitter();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      sessions.delete(socket);
    });
    socket.write('* OK peer ready\r\n');
    let buffered = '';
    const session: PeerSession = { refused: null, idling: null };
    sessions.set(socket, session);
    socket.on('data', (chunk) => {
      buffered += chunk;
      for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        if (line !== 'DONE') commands.push(line.replace(/^\S+ /, ''));
        const text = authenticated(script, session, line) ?? idled(script, session, line) ?? respond(script, line);
        if (text === null) socket.destroy();
        else socket.write(text, 'latin1');
        events.emit('command');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    script,
    commands,
    /** Resolves when a command matches, past or future. */
    async heard(pattern: RegExp): Promise<void> {
      while (!commands.some((command) => pattern.test(command))) await once(events, 'command');
    },
    /** Resolves with the next command. */
    async next(): Promise<void> {
      await once(events, 'command');
    },
    /** Tells whoever waits with IDLE (a capability of the script) that there is new mail. */
    tellOfMail() {
      for (const [socket, { idling }] of sessions) {
        if (idling !== null) socket.write(`* ${script.mails.length} EXISTS\r\n`);
      }
    },
    /** Ends all open connections, as a server does when a token ends. */
    dropAll() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface PeerSession {
  /** Tag of an AUTHENTICATE whose client has yet to hear that it failed. */
  refused: string | null;
  /** Tag of an IDLE that goes on (RFC 2177). */
  idling: string | null;
}

function idled(script: ImapScript, session: PeerSession, line: string): string | null {
  const [tag = '*', name = ''] = line.split(' ');
  if (name.toUpperCase() === 'IDLE' && script.answers?.IDLE === undefined) {
    session.idling = tag;
    return '+ idling\r\n';
  }
  if (line !== 'DONE' || session.idling === null) return null;
  const done = `${session.idling} OK done\r\n`;
  session.idling = null;
  return done;
}

/** XOAUTH2 and OAUTHBEARER (RFC 7628): a refusal is told as JSON first, which the client has to acknowledge. */
function authenticated(script: ImapScript, session: PeerSession, line: string): string | null {
  if (session.refused !== null) {
    const tag = session.refused;
    session.refused = null;
    return `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n`;
  }
  const [tag = '*', name = '', mechanism = '', initial = ''] = line.split(' ');
  if (name.toUpperCase() !== 'AUTHENTICATE' || !script.bearer) return null;
  const { user, token } = bearerIn(mechanism, initial);
  if (script.bearer(user, token)) return `${tag} OK logged in\r\n`;
  session.refused = tag;
  return `+ ${Buffer.from('{"status":"400","schemes":"Bearer"}').toString('base64')}\r\n`;
}

/** What a client that logs in with a token says it is. */
export function bearerIn(mechanism: string, initial: string): { readonly user: string; readonly token: string } {
  const [head = '', ...fields] = Buffer.from(initial, 'base64').toString().split('\x01');
  const bearer = fields.find((field) => field.startsWith('auth=Bearer ')) ?? '';
  const user = mechanism.toUpperCase() === 'XOAUTH2' ? head.slice('user='.length) : head.split(',')[1]?.slice(2);
  return { user: user ?? '', token: bearer.slice('auth=Bearer '.length) };
}

/** null: the connection ends. */
function respond(script: ImapScript, line: string): string | null {
  const [tag = '*', first = '', second = ''] = line.split(' ');
  const name = first.toUpperCase() === 'UID' ? `UID ${second.toUpperCase()}` : first.toUpperCase();
  const scripted = script.answers?.[name];
  if (scripted !== undefined) return `${tag} ${scripted}\r\n`;
  const lines = untagged(script, name, line);
  if (lines === null) return null;
  const tagged = lines.at(-1)?.startsWith('NO ') ? `${tag} ${lines.pop()}` : `${tag} ${taggedOk(script, name)}`;
  return [...lines, tagged].map((one) => `${one}\r\n`).join('');
}

function taggedOk(script: ImapScript, name: string): string {
  if (name === 'LOGIN') return script.login ?? 'OK logged in';
  return name === 'SELECT' ? 'OK [READ-WRITE] selected' : 'OK done';
}

function untagged(script: ImapScript, name: string, line: string): string[] | null {
  const { mails } = script;
  if (name === 'CAPABILITY') return [`* CAPABILITY IMAP4rev1 ${script.capabilities ?? ''}`.trimEnd()];
  if (name === 'LIST' && line.endsWith('"" ""')) return ['* LIST (\\Noselect) "/" ""'];
  if (name === 'LIST') return ['* LIST (\\HasNoChildren) "/" INBOX'];
  if (name === 'LOGOUT') return ['* BYE'];
  if (name === 'NOOP') return [`* ${mails.length} EXISTS`];
  if (name === 'SELECT') {
    const next = script.uidNext ?? (mails.at(-1)?.uid ?? 0) + 1;
    return [
      `* ${mails.length} EXISTS`,
      '* FLAGS (\\Seen \\Deleted)',
      `* OK [UIDVALIDITY ${script.uidValidity ?? 7}] ok`,
      ...(next > 0 ? [`* OK [UIDNEXT ${next}] ok`] : []),
      '* OK [PERMANENTFLAGS (\\Seen \\Deleted)] ok',
    ];
  }
  if (name === 'UID SEARCH') {
    const header = / HEADER MESSAGE-ID "?([^\s"]+)/i.exec(line)?.[1] ?? '';
    return [
      `* SEARCH ${inRange(mails, / UID (\S+)/i.exec(line.slice(line.indexOf('SEARCH')))?.[1] ?? '1:*')
        .filter(({ raw }) => raw.includes(header))
        .map(({ uid }) => uid)
        .join(' ')}`.trimEnd(),
    ];
  }
  if (name === 'UID FETCH') return fetched(mails, line);
  return [];
}

function fetched(mails: readonly PeerMail[], line: string): string[] | null {
  const [, , , range = ''] = line.split(' ');
  const wanted = inRange(mails, range);
  const fields = /HEADER\.FIELDS \(([^)]*)\)/i.exec(line)?.[1]?.split(' ');
  const isBody = /BODY/i.test(line) && !fields;
  if (isBody && wanted.some(({ trouble }) => trouble === 'drop')) return null;
  if (isBody && wanted.some(({ trouble }) => trouble === 'refuse')) return ['NO some of them cannot be read'];
  return wanted
    .filter(({ trouble }) => trouble !== 'unlist' && !(isBody && trouble === 'omit'))
    .map((mail) => {
      const header = fields ? ` BODY[HEADER.FIELDS (${fields.join(' ')})] ${literal(fieldsOf(mail.raw, fields))}` : '';
      const body = isBody ? ` BODY[] ${bodyOf(mail)}` : '';
      const date = mail.date ?? LONG_AGO;
      const seq = mails.indexOf(mail) + 1;
      const flags = /FLAGS/i.test(line) ? ` FLAGS (${mail.flags ?? ''})` : '';
      return `* ${seq} FETCH (UID ${mail.uid} RFC822.SIZE ${mail.raw.length} INTERNALDATE "${date}"${flags}${header}${body})`;
    });
}

const literal = (text: string): string => `{${text.length}}\r\n${text}`;

function fieldsOf(raw: string, names: readonly string[]): string {
  const header = raw.slice(0, raw.indexOf('\r\n\r\n'));
  const lines = header.split(/\r\n(?![ \t])/);
  const isWanted = (line: string) => names.some((name) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return `${lines
    .filter(isWanted)
    .map((line) => `${line}\r\n`)
    .join('')}\r\n`;
}

/** As Exchange writes it where it cannot convert a mail. */
const SUBSTITUTE = [
  'Subject: Retrieval using the IMAP4 protocol failed for the following message: 7',
  'From: Microsoft Exchange Server 2016',
  'MIME-Version: 1.0',
  '',
  'The server could not retrieve the following message:',
  '',
].join('\r\n');

function bodyOf({ raw, trouble }: PeerMail): string {
  if (trouble === 'nil') return 'NIL';
  if (trouble === 'empty') return '""';
  if (trouble === 'headless') return literal('The service is busy.\r\n');
  if (trouble === 'half_header') return literal(raw.slice(0, raw.indexOf('\r\n\r\n') / 2));
  if (trouble === 'short') return literal(raw.slice(0, raw.indexOf('\r\n\r\n') + 8));
  return literal(trouble === 'substitute' ? SUBSTITUTE : raw);
}

/** With RFC 3501's `*`: the last mail, also when the range begins behind it. */
function inRange(mails: readonly PeerMail[], range: string): PeerMail[] {
  const last = mails.at(-1)?.uid ?? 0;
  const number = (text: string) => (text === '*' ? last : Number(text));
  return mails.filter(({ uid }) =>
    range.split(',').some((part) => {
      const [from = '0', to = from] = part.split(':');
      return uid >= Math.min(number(from), number(to)) && uid <= Math.max(number(from), number(to));
    }),
  );
}
