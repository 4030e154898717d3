/** Services that give each mail that leaves over them a Message-ID of their own, by which answers name it. */
const NAMES_ITSELF = /(^|\.)(office365\.com|outlook\.com)$/i;

interface Hosts {
  readonly imap?: { readonly host: string } | undefined;
  readonly smtp?: { readonly host: string } | undefined;
}

/** Pure. Whether mail that leaves by this mailbox lies in Sent under an id that is to be learned, some time after it has left. */
export const givesOtherIds = ({ imap, smtp }: Hosts): boolean => NAMES_ITSELF.test((smtp ?? imap)?.host ?? '');

/**
 * Pure. Whether an answer to a mail that is kept nowhere would be known for one, by the Message-ID that we gave it: of a mail that lets somebody
 * into the console it would begin a run otherwise, with the code in what it quotes.
 */
export const carriesLogIns = (mailbox: Hosts): boolean => mailbox.smtp !== undefined && !givesOtherIds(mailbox);
