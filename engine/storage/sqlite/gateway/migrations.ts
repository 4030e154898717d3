/** gateway.db: which persona has work when, what was seen of every mail, how far each mailbox was read. */
export const gatewayMigrations: readonly string[] = [
  `
create table wakeups (
  persona_id text primary key,
  due_at integer,
  generation integer not null
) strict, without rowid;
create index wakeups_due on wakeups(due_at) where due_at is not null;

create table seen (
  id integer primary key,
  message_id text not null,
  persona_id text,
  recipient text,
  direction text not null,
  decision text not null,
  code text,
  from_address text,
  tier text,
  detail text,
  subject text not null,
  received_at integer not null,
  thread_id text,
  run_id text,
  mailbox text,
  uidvalidity text,
  uid integer
) strict;
create index seen_by_message_id on seen(message_id);
create index seen_by_place on seen(mailbox, uidvalidity, uid) where mailbox is not null;
create index seen_deferred on seen(mailbox, uid) where decision = 'deferred';
create index seen_refused on seen(code) where decision = 'refused';

create table cursors (
  mailbox text primary key,
  uidvalidity text not null,
  uid integer not null,
  since integer
) strict, without rowid;

create table dead_letters (
  id text primary key,
  persona_id text,
  message_id text not null,
  stage text not null,
  code text not null,
  message text not null,
  raw_path text,
  at integer not null
) strict, without rowid;

create table settings (
  key text primary key,
  value text not null
) strict, without rowid;
`,
  `alter table dead_letters add column bytes integer not null default 0;`,
  // What strangers leave is found by age; the index that counted refusals took several times the room.
  `
drop index seen_refused;
create index seen_passing on seen(received_at) where direction = 'in' and run_id is null
  and (decision in ('refused', 'recorded', 'duplicate') or (decision = 'deferred' and mailbox is null))
  and (tier is null or tier in ('stranger', 'unauthenticated'));
`,
  `
create table mail_tries (
  mailbox text not null,
  uidvalidity text not null,
  uid integer not null,
  begun integer not null,
  deferrals integer not null,
  next_at integer not null,
  primary key (mailbox, uidvalidity, uid)
) strict, without rowid;
create index mail_tries_due on mail_tries(mailbox, uidvalidity, next_at);
create index seen_waiting on seen(mailbox, uidvalidity, persona_id, uid)
  where decision = 'deferred' and coalesce(code, '') not in ('auth_failed', 'dns') and uid is not null;
insert into mail_tries
  select mailbox, uidvalidity, uid, 0, 1, 0 from seen
  where decision = 'deferred' and mailbox is not null and uidvalidity is not null and uid is not null
  group by mailbox, uidvalidity, uid;
`,
  // The bytes come last, so that counting the others does not read them.
  `
create table refused_mail (
  raw_sha256 text primary key,
  message_id text not null,
  at integer not null,
  bytes integer not null,
  door text not null,
  mailbox text,
  authserv_id text,
  ip text,
  helo text,
  mail_from text,
  return_path text,
  recipients text,
  raw blob not null
) strict;
create index refused_mail_by_message_id on refused_mail(message_id);
create index refused_mail_by_age on refused_mail(at, bytes);
`,
  `
create table sender_questions (
  notice_id text not null,
  number integer not null,
  persona_id text not null,
  sender text not null,
  code text not null,
  mails integer not null,
  subject text not null,
  asked_at integer not null,
  until integer not null,
  verdict text,
  decided_by text,
  decided_at integer,
  answer_id text,
  primary key (notice_id, number)
) strict, without rowid;
create index sender_questions_of on sender_questions(persona_id, sender, code);
`,
  // What an earlier build took in was answered by its rules; its owners hear of those that are others now.
  `insert into settings(key, value) select 'news', 'whole_answers' from seen limit 1;`,
  `
create table tool_questions (
  notice_id text primary key,
  persona_id text not null,
  server text not null,
  offer text not null,
  offer_sha256 text not null,
  asked_at integer not null,
  until integer not null,
  verdict text,
  decided_by text,
  decided_at integer,
  answer_id text
) strict, without rowid;
create index tool_questions_about on tool_questions(server, asked_at);
`,
  // What an earlier build took in was answered with the tools of its MCP servers, of which nothing was pinned.
  `insert into settings(key, value) select 'tools_to_pin', 'due' from seen limit 1;`,
  // An earlier build kept as much of each domain that somebody had written into From, and a sender of mail can make up any.
  `
alter table refused_mail add column counted_as text not null default '';
update refused_mail set counted_as = coalesce('address ' || ip, 'mailbox ' || mailbox, door);
`,
  // An earlier build asked models within a budget although nobody had said their price.
  `insert into settings(key, value) select 'unpriced', 'due' from seen limit 1;`,
  // What lists over all personas need of each, and whose database another process than the gateway has changed since.
  `
create table overviews (
  persona_id text primary key,
  format integer not null,
  stamp text not null,
  overview_json text not null
) strict, without rowid;
create table changed_personas (persona_id text primary key) strict, without rowid;
`,
  // Whoever has worked with an earlier build hears that an owner's own mail can be the yes, and what to do for that.
  `insert into settings(key, value) select 'news', 'own_words' from seen where true limit 1
     on conflict(key) do update set value = case settings.value when '' then 'own_words' else settings.value || ',own_words' end;`,
  // And that there is more to switch on, all of which stays as it was in a workspace of before.
  `insert into settings(key, value) select 'news', 'switched_on' from seen where true limit 1
     on conflict(key) do update set value = case settings.value when '' then 'switched_on' else settings.value || ',switched_on' end;`,
  // What an earlier build kept among facts and playbooks holds as a standing rule, which its owners hear.
  `insert into settings(key, value) select 'news', 'standing_rules' from seen where true limit 1
     on conflict(key) do update set value =
       case settings.value when '' then 'standing_rules' else settings.value || ',standing_rules' end;`,
  `
create table console_codes (
  code_sha256 text primary key,
  address text not null,
  role text not null,
  made_at integer not null,
  until integer not null,
  used_at integer
) strict, without rowid;
create table console_sessions (
  token_sha256 text primary key,
  id text not null,
  address text not null,
  role text not null,
  made_at integer not null,
  seen_at integer not null,
  until integer not null,
  ended_at integer,
  ended_by text
) strict, without rowid;
create index console_sessions_by_id on console_sessions(id);
`,
  // What an owner looks at: the mail of some personas, and of one person, out of all that there is.
  `
create index seen_by_persona on seen(persona_id, id);
create index seen_by_sender on seen(from_address, id) where direction = 'in';
create index seen_by_recipient on seen(recipient, id) where direction = 'out';
`,
  // What is on record of no persona's work: who came into the console.
  `
create table gateway_audit (
  id text primary key,
  at integer not null,
  actor text not null,
  event text not null,
  decision text,
  detail_json text not null
) strict, without rowid;
create index gateway_audit_refused on gateway_audit(at) where event = 'console_log_in_refused';
`,
  `
create table console_log_ins (
  id text primary key,
  address text not null,
  browser_sha256 text not null,
  asked_at integer not null,
  until integer not null,
  code_sha256 text,
  mailed_at integer
) strict, without rowid;
create index console_log_ins_of on console_log_ins(address, mailed_at);
alter table console_codes add column came_by text not null default 'link';
alter table console_sessions add column came_by text not null default 'link';
`,
  // Which mail was kept for a row: whoever writes one chooses its Message-ID, and one that is refused again is kept anew.
  `
alter table seen add column kept_sha256 text;
update seen set kept_sha256 = kept.raw_sha256
  from (select message_id, at, min(raw_sha256) as raw_sha256 from refused_mail group by message_id, at having count(*) = 1) kept
  where kept.message_id = seen.message_id and kept.at = seen.received_at and seen.direction = 'in';
`,
  `
create table console_passkeys (
  id text primary key,
  credential_id text not null,
  address text not null,
  role text not null,
  name text not null,
  public_key text not null,
  counter integer not null,
  rp_id text not null,
  made_at integer not null,
  used_at integer
) strict, without rowid;
create unique index console_passkeys_by_credential on console_passkeys(credential_id);
`,
];
