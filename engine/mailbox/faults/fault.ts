import type { Seen } from '../peer/look.ts';
import type { Protocol, Server } from '../peer/net.ts';

/** What is wrong with a mailbox connection: one cause, and what to do about it. */
export interface Fault {
  readonly code: FaultCode;
  /** A sentence without its full stop. */
  readonly cause: string;
  readonly cure: string;
}

/** The settings of one side of a mailbox, as far as they decide what a failure means. */
export interface Side {
  readonly protocol: Protocol;
  readonly server: Server;
  readonly user: string;
  readonly auth: 'password' | 'oauth' | 'xoauth2' | 'none';
  readonly secretEnv: string;
  readonly caFile: string | null;
}

/** A server's answer, or the error that came in its place. */
export interface ServerAnswer {
  /** The stage at which it was said. */
  readonly stage: 'login' | 'folder' | 'send';
  /** Of IMAP the response code (RFC 5530); null where there is none. */
  readonly code: string | null;
  /** Of SMTP with its three digits. */
  readonly text: string;
}

/** What is wrong with a login by OAuth, before any mail server is asked. */
export type OAuthFaultCode =
  | 'login_needed'
  | 'login_revoked'
  | 'login_unused'
  | 'login_ended_by_password'
  | 'login_of_testing_client'
  | 'login_denied'
  | 'login_code_expired'
  | 'consent_needed'
  | 'client_unknown'
  | 'client_secret_wrong'
  | 'client_secret_missing'
  | 'client_not_public'
  | 'device_code_blocked'
  | 'device_code_unknown'
  | 'redirect_refused'
  | 'scope_refused'
  | 'no_refresh_token'
  | 'clock_wrong'
  | 'token_server_wrong'
  | 'token_server_unreachable'
  | 'token_server_busy'
  | 'token_not_stored'
  | 'oauth_unknown';

export type FaultCode =
  | OAuthFaultCode
  | 'name_not_found'
  | 'name_server_silent'
  | 'refused'
  | 'unreachable'
  | 'ipv6_only'
  | 'timed_out'
  | 'silent'
  | 'hung_up'
  | 'proxy_line_expected'
  | 'tls_not_spoken'
  | 'tls_spoken_at_once'
  | 'starttls_missing'
  | 'starttls_refused'
  | 'imap_on_smtp_port'
  | 'smtp_on_imap_port'
  | 'pop3_port'
  | 'http_port'
  | 'other_service'
  | 'server_busy'
  | 'address_blocked'
  | 'certificate_self_signed'
  | 'certificate_unknown_ca'
  | 'certificate_not_of_ca_file'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_other_name'
  | 'certificate_invalid'
  | 'ca_file_missing'
  | 'ca_file_unusable'
  | 'tls_too_old'
  | 'tls_failed'
  | 'client_certificate_wanted'
  | 'secret_missing'
  | 'wrong_password'
  | 'app_password_needed'
  | 'web_login_needed'
  | 'oauth_needed'
  | 'oauth_not_offered'
  | 'token_refused'
  | 'password_expired'
  | 'imap_off'
  | 'smtp_auth_off'
  | 'auth_not_offered'
  | 'login_in_clear_refused'
  | 'login_throttled'
  | 'too_many_connections'
  | 'account_locked'
  | 'login_server_down'
  | 'login_unanswered'
  | 'no_licence'
  | 'folder_missing'
  | 'folder_forbidden'
  | 'folder_refused'
  | 'move_target_missing'
  | 'no_drafts'
  | 'no_sent'
  | 'no_idle'
  | 'quota_full'
  | 'quota_near'
  | 'sender_refused'
  | 'relay_refused'
  | 'sending_limit'
  | 'mail_too_large'
  | 'mail_rejected'
  | 'not_arrived'
  | 'unknown';

export interface MailboxFailure {
  readonly side: Side;
  /** Null where nobody looked. */
  readonly seen: Seen | null;
  /** Null where it came to no login. */
  readonly said: ServerAnswer | null;
}

export const fault = (code: FaultCode, cause: string, cure: string): Fault => ({ code, cause, cure });

export const placeOf = ({ server }: Side): string => `${server.host} port ${server.port}`;
/** The key of the settings in configs/gateway.json. */
export const keyOf = ({ protocol }: Side, key: string): string => `${protocol}.${key}`;

/** The ports on which each kind of TLS usually is. */
export const USUAL = { imap: { implicit: 993, starttls: 143 }, smtp: { implicit: 465, starttls: 587 } } as const;

/** The cure of what passes without anybody. */
export const BY_ITSELF = 'wait; it is tried again by itself';

/** Where the authority of a server that somebody logs in to is named. */
export const KEY_OF_AUTHORITY = '`ca_file` of this server in extensions/extensions.json';
