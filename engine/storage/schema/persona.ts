/** persona.db. Times are integer milliseconds UTC, ids UUIDv7 text, JSON columns end in `_json`. */
const FIRST: readonly string[] = [
  `
create table threads (
  id text primary key,
  kind text not null,
  subject text not null,
  message_count integer not null default 0,
  history_from integer not null default 0,
  prefix_sha256 text,
  fast_replies integer not null default 0,
  answers_before integer not null default 0,
  last_reply_at integer,
  loop_stopped_at integer,
  created_at integer not null,
  updated_at integer not null
) strict, without rowid;

create table thread_participants (
  thread_id text not null references threads(id),
  address text not null,
  role text not null,
  primary key (thread_id, address)
) strict, without rowid;

create table messages (
  seq integer primary key,
  id text not null unique,
  thread_id text not null references threads(id),
  direction text not null,
  message_id text not null,
  duplicate_key text unique,
  linked_to text,
  run_id text,
  from_address text,
  from_name text not null default '',
  to_json text not null,
  cc_json text not null,
  reply_to text,
  subject text not null,
  in_reply_to text,
  references_json text not null,
  date integer,
  received_at integer not null,
  tier text,
  text text not null,
  new_text text not null,
  quoted_text text not null default '',
  forwarded_text text not null default '',
  limitations_json text not null default '[]',
  raw_sha256 text,
  rendered_json text
) strict;
create index messages_by_message_id on messages(message_id);
create index messages_by_thread on messages(thread_id, seq);

create table attachments (
  id text primary key,
  message text not null references messages(id),
  position integer not null,
  name text not null,
  type text not null,
  bytes integer not null,
  sha256 text not null,
  text_sha256 text,
  unreadable text
) strict, without rowid;
create index attachments_by_message on attachments(message, position);

create table runs (
  seq integer primary key,
  id text not null unique,
  thread_id text not null references threads(id),
  message text not null references messages(id),
  message_id text not null,
  kind text not null,
  status text not null,
  waiting_for text,
  outcome text,
  code text,
  sender text,
  tier text not null,
  recursion integer not null,
  due_at integer not null,
  attempt integer not null default 0,
  crashes integer not null default 0,
  crash_seq integer not null default -1,
  fence integer not null default 0,
  leased_by text,
  leased_until integer,
  settings_sha256 text,
  provider text,
  model text,
  model_calls integer not null default 0,
  tool_calls integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cached_tokens integer not null default 0,
  cost_usd real not null default 0,
  reserved_usd real not null default 0,
  active_ms integer not null default 0,
  reply_message_id text,
  parent_run_id text,
  harness_version_id text,
  created_at integer not null,
  started_at integer,
  ended_at integer
) strict;
create index runs_due on runs(due_at) where status in ('queued', 'running');
create index runs_open_by_thread on runs(thread_id, seq) where status in ('queued', 'running');
create index runs_by_status on runs(status, seq);
create index runs_by_sender on runs(sender, created_at);
create index runs_by_thread on runs(thread_id, created_at);
create index runs_by_message_id on runs(message_id);

create table run_events (
  run_id text not null references runs(id),
  seq integer not null,
  type text not null,
  v integer not null,
  payload_json text not null,
  at integer not null,
  primary key (run_id, seq)
) strict, without rowid;

create table thread_tool_events (
  id text primary key,
  thread_id text not null,
  parent_message_id text not null,
  run_id text not null references runs(id),
  step_index integer not null,
  event_type text not null,
  tool_name text not null,
  tool_call_id text not null,
  payload_json text not null,
  created_at integer not null
) strict, without rowid;
create index thread_tool_events_by_run on thread_tool_events(run_id, step_index);
create index thread_tool_events_by_thread on thread_tool_events(thread_id, id);

create table outbox (
  seq integer primary key,
  id text not null unique,
  run_id text not null,
  purpose text not null,
  ordinal integer not null,
  thread_id text,
  message_id text not null,
  in_reply_to text,
  kind text not null,
  mailbox text,
  envelope_from text not null,
  raw blob not null,
  state text not null,
  attempts integer not null default 0,
  leased_by text,
  next_attempt_at integer not null,
  unknown_since integer,
  last_error text,
  created_at integer not null,
  updated_at integer not null,
  unique (run_id, purpose, ordinal)
) strict;
create index outbox_due on outbox(next_attempt_at) where state in ('queued', 'sending', 'unknown');
create index outbox_leased on outbox(leased_by) where leased_by is not null;
create index outbox_by_message_id on outbox(message_id);
create index outbox_by_reply on outbox(in_reply_to);

create table outbox_recipients (
  outbox_id text not null references outbox(id),
  address text not null,
  state text not null,
  smtp text,
  primary key (outbox_id, address)
) strict, without rowid;

create table budget_days (
  day text primary key,
  runs integer not null default 0,
  tokens integer not null default 0,
  usd real not null default 0,
  reserved_usd real not null default 0,
  exhausted_at integer
) strict, without rowid;

create table made_files (
  path text primary key,
  sha256 text not null
) strict, without rowid;

create table jobs (
  id text primary key,
  kind text not null,
  payload_json text not null,
  due_at integer not null,
  attempts integer not null default 0
) strict, without rowid;
create index jobs_due on jobs(due_at);

create virtual table messages_fts using fts5(
  subject, text, content='messages', content_rowid='seq', tokenize="unicode61 remove_diacritics 2"
);
create trigger messages_fts_delete after delete on messages
  when old.seq <= (select max(id) from messages_fts_docsize) begin
  insert into messages_fts(messages_fts, rowid, subject, text) values ('delete', old.seq, old.subject, old.text);
end;
`,
  `alter table budget_days add column exhausted_by text;`,
  `
create table approvals (
  id text primary key,
  run_id text not null references runs(id),
  thread_id text not null,
  call_id text not null,
  tool text not null,
  arguments_json text not null,
  arguments_hash text not null,
  fingerprint text not null,
  risk text not null,
  state text not null,
  number integer,
  notice_id text,
  expires_at integer not null,
  decided_by text,
  decided_at integer,
  reason text,
  created_at integer not null,
  updated_at integer not null
) strict, without rowid;
create index approvals_by_run on approvals(run_id);
create index approvals_by_notice on approvals(notice_id, number);
create index approvals_open on approvals(expires_at) where state = 'pending';

create table approval_notices (
  id text primary key,
  token_sha256 text not null unique,
  message_id text not null unique,
  created_at integer not null,
  reminded_at integer,
  clarified_at integer
) strict, without rowid;

create table audit_log (
  id text primary key,
  at integer not null,
  actor text not null,
  event text not null,
  run_id text,
  approval_id text,
  tool text,
  decision text,
  detail_json text not null
) strict, without rowid;
`, // Which claim of the run wrote the event; null of what dispatch and owners wrote, and of older rows.
  `alter table run_events add column fence integer;`,
  // Who cancelled the run; the next holder of its lease only tells the sender.
  `alter table runs add column cancelled_by text;`,
  `
alter table approvals add column kind text not null default 'call';
alter table approvals add column preview text;
alter table approvals add column basis text;
`,
  `
create table tasks (
  task text primary key,
  file_sha256 text not null,
  schedule_key text not null,
  anchor_at integer not null,
  settled_to integer not null,
  next_at integer,
  paused_reason text,
  failures integer not null default 0,
  incident_at integer,
  told_at integer,
  thread_id text,
  pinned text,
  updated_at integer not null
) strict, without rowid;
create index tasks_due on tasks(next_at) where next_at is not null;

create table task_times (
  task text not null,
  due_at integer not null,
  decision text not null,
  code text,
  count integer not null default 1,
  run_id text,
  snapshot_json text,
  decided_at integer not null,
  primary key (task, due_at)
) strict, without rowid;
create unique index task_times_by_run on task_times(run_id) where run_id is not null;
create index task_times_waiting on task_times(task, due_at) where decision = 'wait';
`,
  `
create table undo_items (
  id text primary key,
  run_id text not null references runs(id),
  thread_id text not null,
  call_id text not null,
  tool text not null,
  arguments_json text not null,
  result_json text not null,
  state text not null,
  number integer,
  notice_id text,
  until integer not null,
  decided_by text,
  created_at integer not null,
  updated_at integer not null
) strict, without rowid;
create index undo_items_by_notice on undo_items(notice_id, number);
create index undo_items_open on undo_items(until) where state = 'open';

create table removed_files (
  run_id text not null,
  path text not null,
  sha256 text not null,
  bytes integer not null,
  until integer not null,
  primary key (run_id, path)
) strict, without rowid;
create index removed_files_by_end on removed_files(until);
`,
  `alter table runs add column reserved_day text;`,
  `alter table outbox add column trying_since integer;`,
  `
create table used_signatures (
  sha256 text primary key,
  message_id text not null,
  message text,
  at integer not null
) strict, without rowid;
create index used_signatures_by_age on used_signatures(at);
`,
  // Mail that is kept although it is no message, and what owners are told once an hour.
  `
create table kept_mail (
  raw_sha256 text primary key,
  code text not null,
  message_id text not null,
  bytes integer not null,
  at integer not null
) strict, without rowid;

create table gathered_notices (
  kind text primary key,
  since integer not null,
  count integer not null,
  first_at integer,
  newest_json text
) strict, without rowid;
`,
  `alter table approvals add column attached_json text;`,
  // Who may see which message: its sender and those it was addressed to. A prompt of a task was addressed to nobody,
  // and what somebody unproven wrote in another's name is not that other's mail.
  `
create table message_viewers (
  thread_id text not null,
  address text not null,
  seq integer not null references messages(seq),
  primary key (thread_id, address, seq)
) strict, without rowid;
create view earlier_mail as select * from messages
  where coalesce(tier, '') != 'unauthenticated' and (direction = 'out' or from_address is not null);
insert or ignore into message_viewers
  select thread_id, lower(from_address), seq from earlier_mail where direction = 'in';
insert or ignore into message_viewers
  select thread_id, lower(one.value), seq from earlier_mail, json_each(to_json) as one;
insert or ignore into message_viewers
  select thread_id, lower(one.value), seq from earlier_mail, json_each(cc_json) as one;
drop view earlier_mail;
`,
  `alter table approvals add column origins_json text;`,
  // What owners' answers were understood as. The mark for one question to an answer is gone: each unclear one gets one.
  `
create table approval_answers (
  id text primary key,
  notice_id text not null,
  message_id text not null,
  at integer not null,
  by text not null,
  verdict text not null,
  rules_json text not null,
  items_json text not null,
  unclear text,
  detail text,
  asked_back integer not null
) strict, without rowid;
create index approval_answers_by_mail on approval_answers(message_id);
create index approval_answers_by_notice on approval_answers(notice_id, at);
alter table approval_notices drop column clarified_at;
`,
  // Whoever is asked about a mail is told when its address was never written to.
  `create index outbox_recipients_by_address on outbox_recipients(lower(address));`,
  // What a run waits for, since when, and until when at the latest; and the outages that owners and senders are told of once.
  `
alter table runs add column deferred_code text;
alter table runs add column deferred_at integer;
alter table runs add column deferred_until integer;
create index runs_deferred on runs(deferred_code, created_at) where deferred_code is not null;
alter table budget_days add column warned_at integer;
create table incidents (
  code text primary key,
  since integer not null,
  cause text not null,
  provider text not null,
  message text not null
) strict, without rowid;
`,
  // Calls that count against a limit; only where one is configured.
  `
create table tool_uses (
  id integer primary key,
  run_id text not null,
  fence integer not null,
  turn integer not null,
  call_id text not null,
  tool text not null,
  sender text,
  day text not null,
  at integer not null
) strict;
create unique index tool_uses_by_call on tool_uses(run_id, turn, call_id);
create index tool_uses_by_day on tool_uses(day, tool);
create index tool_uses_by_sender on tool_uses(sender, at);
create index tool_uses_by_age on tool_uses(at);
`,
  // A run that found a budget spent used to say so in its reply; now the mail waits, and jobs tell people.
  `
alter table budget_days drop column exhausted_at;
alter table budget_days drop column exhausted_by;
`,
  // The request that a mail of ours was sent for; an answer finds it by the thread that the mail began.
  `
alter table threads add column begun_by_run text;
update threads set begun_by_run = sent.run_id
  from (select thread_id, run_id from outbox where purpose like 'tool:%') sent where threads.id = sent.thread_id;
`,
  // Leases of jobs, and jobs that this version cannot do. What one writer alone has held so far becomes a rule: one run
  // of a thread at a time. A run that an owner cancels is left out: it only ends, whatever else its thread does.
  `
alter table jobs add column parked_code text;
alter table jobs add column leased_by text;
alter table jobs add column leased_until integer;
create index jobs_parked on jobs(kind) where parked_code is not null;
create index jobs_leased on jobs(leased_until) where leased_by is not null;
update runs set status = 'queued', leased_by = null, leased_until = null, fence = fence + 1
  where status = 'running' and cancelled_by is null and exists (
    select 1 from runs b where b.thread_id = runs.thread_id and b.status = 'running' and b.cancelled_by is null
      and b.seq < runs.seq);
create unique index runs_one_running on runs(thread_id) where status = 'running' and cancelled_by is null;
`,
  // Names, addresses and attachments are searched as well, and words in other forms. What was there already is taken
  // into the new index by a job, a bounded piece at a time. A row of it is a message (seq × 1024) or one of its files.
  `
drop trigger messages_fts_delete;
drop table messages_fts;
alter table messages add column to_names text not null default '';
create table mail_index (
  seq integer primary key,
  thread_id text not null,
  direction text not null,
  written_at integer not null,
  attachments integer not null,
  unread_files integer not null
) strict;
create index mail_index_by_date on mail_index(written_at);
create index mail_index_unread on mail_index(seq) where unread_files > 0;
create virtual table mail_fts using fts5(
  subject, own, rest, files, sender, recipients, inside,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
create trigger mail_index_delete after delete on messages begin
  delete from mail_index where seq = old.seq;
  delete from mail_fts where rowid between old.seq * 1024 and old.seq * 1024 + 1023;
end;
insert into jobs (id, kind, payload_json, due_at)
  select 'index_mail', 'index_mail', '{}', 0 where exists (select 1 from messages);
`,
  // Documents that were read, by their hash: attachments, files of the persona, and files within either.
  `
alter table attachments add column charset text;
create table documents (
  sha256 text not null,
  part text not null,
  hint text not null,
  reader integer not null,
  facts_json text not null,
  text_sha256 text,
  tables_sha256 text,
  read_at integer not null,
  primary key (sha256, part, hint)
) strict, without rowid;
`,
  // Calls that wait for something that nobody is asked about.
  `
create table suspensions (
  id text primary key,
  run_id text not null,
  call_id text not null,
  tool text not null,
  kind text not null,
  state text not null,
  payload_json text not null,
  due_at integer not null,
  result_json text,
  created_at integer not null,
  ended_at integer
) strict, without rowid;
create index suspensions_by_run on suspensions(run_id);
`,
  // What documents say is kept with them, and for all of them alike.
  `
alter table attachments drop column text_sha256;
`,
  // The bytes of small mail as it came, until they are a file.
  `
create table raw_mail (
  seq integer primary key references messages(seq) on delete cascade,
  bytes blob not null
) strict;
`,
  // What the persona remembers, and by which words each may be found by whom; and what its memory has spent of a day.
  `
create table facts (
  seq integer primary key,
  id text not null unique,
  subject text not null,
  kind text not null,
  text text not null,
  quote text not null,
  source_message text,
  source_message_id text,
  source_tier text not null,
  thread_id text,
  said_by text not null,
  valid_from integer not null,
  valid_to integer,
  recorded_at integer not null,
  refreshed_at integer not null,
  fresh_ms integer,
  expires_at integer,
  superseded_by text,
  disputes text,
  visibility text not null,
  status text not null,
  hash text not null,
  phrase text not null
) strict;
create index facts_by_phrase on facts(phrase, subject);
create index facts_live on facts(subject, seq) where superseded_by is null and status <> 'forgotten';
create index facts_instructions on facts(subject, seq)
  where kind = 'instruction' and status = 'kept' and superseded_by is null;
create index facts_candidates on facts(expires_at) where status = 'candidate';
create index facts_disputed on facts(seq) where status = 'disputed' and superseded_by is null;
create index facts_by_source on facts(source_message);
create index facts_by_author on facts(said_by);
create table fact_words (
  reader text not null,
  word text not null,
  fact integer not null,
  primary key (reader, word, fact)
) strict, without rowid;
alter table budget_days add column memory_usd real not null default 0;
create table forgotten_messages (seq integer primary key) strict;
`,
  // What the owner put into `knowledge/`, by sections.
  `
create table knowledge_files (
  path text primary key,
  bytes integer not null,
  changed_at integer not null,
  sha256 text not null,
  characters integer not null,
  unreadable text,
  indexed_at integer not null,
  rewritten_at integer
) strict, without rowid;
create table knowledge_sections (
  id integer primary key autoincrement,
  path text not null,
  position integer not null,
  title text not null,
  text text not null
) strict;
create index knowledge_sections_by_path on knowledge_sections(path, position);
create virtual table knowledge_fts using fts5(
  path, title, text,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
create trigger knowledge_sections_delete after delete on knowledge_sections begin
  delete from knowledge_fts where rowid = old.id;
end;
`,
  // Answers that are put into Drafts: what the thread is to say once one was sent, where it lies, and when it is looked for.
  `
alter table outbox add column mode text not null default 'send';
create table drafts (
  outbox_id text primary key references outbox(id),
  message_json text not null,
  folder text,
  uidvalidity text,
  uid integer,
  appended_at integer,
  gone_since integer,
  looked_at integer,
  look_at integer,
  sent_message_id text,
  edited integer not null
) strict, without rowid;
create index drafts_looked_for on drafts(look_at) where look_at is not null;
create index drafts_sent on drafts(sent_message_id) where sent_message_id is not null;
`,
  // Nothing asks for the calls of a thread; each call wrote two pages of this.
  `drop index thread_tool_events_by_thread;`,
  // Mostly empty: whoever claims asks for such runs each time, and read all open ones for it.
  `
create index runs_suspects on runs(crashes, due_at) where status in ('queued', 'running') and crashes > 0;
`,
  // What calendar files of mails say, each state of a meeting as it came, and what was answered to it.
  `
create table invitations (
  id text primary key,
  uid text not null,
  recurrence_id text not null,
  thread_id text not null,
  message text not null,
  attachment text not null,
  organizer text not null,
  sequence integer not null,
  stamped_at integer not null,
  facts_json text not null
) strict, without rowid;
create index invitations_by_uid on invitations(uid, recurrence_id, sequence, stamped_at);
create index invitations_by_thread on invitations(thread_id, stamped_at);

create table invitation_answers (
  uid text not null,
  recurrence_id text not null,
  attendee text not null,
  partstat text not null,
  sequence integer not null,
  answered_at integer not null,
  comment text not null,
  primary key (uid, recurrence_id, attendee)
) strict, without rowid;
`,
  // A later mail of the thread is told that an answer lies in Drafts.
  `create index outbox_drafts on outbox(thread_id) where state = 'draft';`,
  // Threads of which nothing is found or remembered elsewhere.
  `
alter table threads add column private_since integer;
create index threads_private on threads(id) where private_since is not null;
`,
  // How many of a kind are under way is asked before each.
  `create index suspensions_under_way on suspensions(kind) where state in ('begun', 'open');`,
  // Summaries of threads, who may be told of each besides owners, and texts that runs were shown and no mail holds.
  `
create table thread_memory_states (
  thread_id text primary key,
  sections_json text not null,
  watermark integer not null,
  items integer not null,
  tier text not null,
  said_by text,
  others_words integer not null,
  updated_at integer not null
) strict;
create table thread_memory_viewers (
  thread_id text not null,
  address text not null,
  primary key (thread_id, address)
) strict, without rowid;
create table shown_texts (
  thread_id text not null,
  sha256 text not null,
  text text not null,
  primary key (thread_id, sha256)
) strict;
`,
  // Whether `active.md` tells what everybody may be told; what there was of that already is written by the first job.
  `
create table active_memory (
  id integer primary key check (id = 1),
  changes integer not null,
  written integer not null default 0,
  room integer not null default 1700,
  error text
) strict;
create index facts_for_all on facts(seq) where visibility = 'persona' and status = 'kept' and superseded_by is null;
insert into active_memory (id, changes) select 1, 1 where exists (select 1 from facts where visibility = 'persona');
insert into jobs (id, kind, payload_json, due_at)
  select 'active_memory', 'active_memory', '{}', 0 where exists (select 1 from active_memory);
`,
  // The runs that a run has begun.
  `create index runs_children on runs(parent_run_id) where parent_run_id is not null;`,
  // What was said of a thread when it was over, who may be told of it besides owners, and by which words it is found.
  `
create table thread_closings (
  thread_id text primary key,
  text text not null,
  tags_json text not null,
  keywords_json text not null,
  watermark integer not null,
  items integer not null,
  tier text not null,
  said_by text,
  others_words integer not null,
  last_mail_at integer,
  closed_at integer not null
) strict;
create table thread_closing_viewers (
  thread_id text not null,
  address text not null,
  primary key (thread_id, address)
) strict, without rowid;
create table closing_words (
  word text not null,
  thread_id text not null,
  primary key (word, thread_id)
) strict, without rowid;
create index closing_words_by_thread on closing_words(thread_id);
`,
  // The hash of the token by which whoever works for a call may bring its result.
  `alter table suspensions add column token_sha256 text;`,
  // What overwrites pages that hold nothing. And no run keeps the words of what it recalled, which may be forgotten by now.
  `
create table free_pages (zeros blob not null) strict;
pragma secure_delete = on;
update run_events set payload_json = json_remove(payload_json, '$.text')
  where type = 'gather_part' and json_type(payload_json, '$.text') is not null;
pragma secure_delete = off;
`,
  // Learned behaviour: versions of playbooks, how runs went by them, what was said of that, and runs as examples.
  `
create table playbook_versions (
  id text primary key,
  kind text not null,
  number integer not null,
  parent_id text,
  playbook_json text not null,
  origin text not null,
  tainted integer not null,
  score real,
  created_at integer not null,
  unique (kind, number)
) strict, without rowid;
create table playbook_pins (
  kind text primary key,
  version_id text not null,
  pinned_at integer not null
) strict, without rowid;
create table playbook_outcomes (
  seq integer primary key,
  run_id text not null unique,
  thread_id text not null,
  kind text not null,
  version_id text,
  mode text not null,
  succeeded integer not null,
  failed integer not null,
  used integer not null,
  delegated integer not null,
  followed integer not null,
  model_calls integer not null,
  tokens integer not null,
  at integer not null
) strict;
create index playbook_outcomes_by_version on playbook_outcomes(version_id, seq) where version_id is not null;
create index playbook_outcomes_by_kind on playbook_outcomes(kind, seq);
create index playbook_outcomes_by_thread on playbook_outcomes(thread_id, seq);
create table playbook_feedback (
  run_id text primary key,
  verdict text not null,
  by text not null,
  at integer not null
) strict, without rowid;
create table playbook_scenarios (
  id text primary key,
  kind text not null,
  run_id text not null,
  verdict text not null,
  hash text not null,
  scenario_json text not null,
  tainted integer not null,
  created_at integer not null,
  used_at integer not null,
  unique (kind, hash)
) strict, without rowid;
`,
  // An example goes with the words of its thread. None was kept so far.
  `
drop table playbook_scenarios;
create table playbook_scenarios (
  id text primary key,
  kind text not null,
  run_id text not null unique,
  thread_id text not null,
  verdict text not null,
  hash text not null,
  scenario_json text not null,
  tainted integer not null,
  created_at integer not null,
  used_at integer not null,
  unique (kind, hash)
) strict, without rowid;
`,
  // Attempts to make better versions of playbooks, and what became of each.
  `
create table playbook_refinements (
  id text primary key,
  kind text not null,
  run_id text not null,
  asked_by text not null,
  accepted integer not null,
  reason text,
  detail text,
  from_version integer,
  to_version integer,
  from_score real,
  to_score real,
  examples integer not null,
  at integer not null
) strict, without rowid;
create index playbook_refinements_by_kind on playbook_refinements(kind, at);
`,
  // Which of many mails somebody may see, whatever threads these are of.
  `create index message_viewers_by_address on message_viewers(address, seq);`,
  // Whose words each piece of a mail is; and the words of mails that others may quote, where they were asked for.
  `
alter table messages add column pieces_json text;
create table message_words (seq integer primary key, words blob not null) strict;
`,
  // What letters are counted with, so that programs are told from people without any reference between their mails.
  `
create table counted_letters (
  seq integer primary key,
  run_id text unique,
  thread_id text,
  state text not null,
  for_words integer not null,
  proven integer not null,
  sender text not null,
  family text not null,
  subject text not null,
  sketch blob not null,
  in_row integer not null,
  pace integer not null,
  told integer not null,
  until integer,
  at integer not null,
  replied_at integer
) strict;
create index counted_letters_by_proof on counted_letters(proven);
create index counted_letters_by_sender on counted_letters(proven, sender);
create index counted_letters_by_family on counted_letters(proven, family);
create index counted_letters_by_thread on counted_letters(thread_id) where state = 'stopped';
`,
  // Mails that a thread's mails name and that never came here: what names the same one belongs to the same conversation.
  // Of what came before, the newest: a conversation that goes on is among it.
  `
create table named_mails (
  id text not null,
  thread_id text not null references threads(id) on delete cascade,
  primary key (id, thread_id)
) strict, without rowid;
create index named_mails_by_thread on named_mails(thread_id);
insert or ignore into named_mails
  select lower(named.value), m.thread_id
  from (select thread_id, references_json from messages
    where direction = 'in' and tier <> 'unauthenticated' and references_json <> '[]' order by seq desc limit 5000) m,
    json_each(m.references_json) named
  where typeof(named.value) = 'text' and length(named.value) <= 255
    and (named.key = 0 or named.key >= json_array_length(m.references_json) - 9)
    and not exists (select 1 from messages known where known.message_id = named.value);
`,
  // Ids that servers have given mails of ours, by which answers name them.
  `create table other_ids (id text primary key, message_id text not null) strict, without rowid;`,
  // Whether the mail that used a signature up was one that is never answered.
  `alter table used_signatures add column silent integer not null default 0;`,
  // Whether an answer of ours has nothing but trusted words behind it; and what we have written into files, to be found.
  `
alter table messages add column clean integer;
create index thread_tool_events_of_files on thread_tool_events(tool_name)
  where event_type = 'tool_call' and tool_name in ('write_file', 'edit_file');
`,
];

/** What a column that one of these adds holds and means is declared here alone: `Added` reads the types of rows out of them. */
const SINCE = [
  // Whether mail waits for its vendor, for its owner, or for another mail to tell; null in outages that began before.
  `alter table incidents add column whose text;`,
  // What of a run's tokens and cost is an estimate: the vendor gave no count, or nobody has said the price.
  `
alter table runs add column estimated_tokens integer not null default 0;
alter table runs add column estimated_usd real not null default 0;
`,
  // What an owner may have done once more by answering a notice; `againIn` reads it. Null: nothing.
  `alter table approval_notices add column again_json text;`,
  // What lists over all personas ask of each: the runs of a day, and mail that has not left.
  `
create index runs_by_time on runs(created_at);
create index outbox_unsent on outbox(state, id) where state in ('queued', 'sending', 'failed', 'unknown', 'draft');
`,
  // How an owner's mail was proven, and what they called those whom it went to; and calls that such a mail was the yes to.
  `
create table owner_mails (
  message text primary key references messages(id) on delete cascade,
  ground text not null,
  names_json text not null
) strict, without rowid;
create table own_words_uses (
  run_id text not null,
  turn integer not null,
  call_id text not null,
  kind text not null,
  at integer not null,
  primary key (run_id, turn, call_id)
) strict, without rowid;
create index own_words_uses_by_age on own_words_uses(at);
`,
  // Which person answers in a thread, in place of the persona, and since when; null: none does.
  `
alter table threads add column taken_by text;
alter table threads add column taken_at integer;
`,
  // How often an owner has given a day's budget once more.
  `alter table budget_days add column extra integer not null default 0;`,
  // What owners have said is to hold from now on. An earlier build kept it among facts, where it is on record as replaced, and
  // in playbooks, which stay as they are: a denial that an owner agreed to holds at once now, by whatever merit.
  `
create table rules (
  seq integer primary key,
  id text not null unique,
  text text not null,
  effect text not null,
  tools_json text not null,
  whom_json text not null,
  scope text not null,
  scope_of text,
  until integer,
  said_by text not null,
  said_tier text not null,
  source_message text,
  source_message_id text,
  origin text not null,
  made_at integer not null,
  ended_at integer,
  ended_by text
) strict;
create index rules_in_force on rules(seq) where ended_at is null;
insert into rules (id, text, effect, tools_json, whom_json, scope, scope_of, said_by, said_tier,
    source_message, source_message_id, origin, made_at)
  select 'r' || substr(id, 2), text, 'words', '[]', '[]', case subject when 'persona' then 'persona' else 'person' end,
    case subject when 'persona' then null else subject end, said_by,
    case source_tier when 'owner' then 'owner' else 'member' end, source_message, source_message_id, 'fact', valid_from
  from facts
  where kind = 'instruction' and status = 'kept' and superseded_by is null
    and (expires_at is null or expires_at > unixepoch() * 1000)
    and (subject in ('persona', said_by) or visibility = 'subject' or said_by = 'command')
  order by seq;
update facts set superseded_by = 'r' || substr(id, 2), valid_to = unixepoch() * 1000
  where exists (select 1 from rules where rules.id = 'r' || substr(facts.id, 2));
drop index facts_instructions;
insert into active_memory (id, changes)
  select 1, 1 from facts where visibility = 'persona' and superseded_by in (select id from rules) limit 1
  on conflict (id) do update set changes = changes + 1;
insert into jobs (id, kind, payload_json, due_at)
  select 'active_memory', 'active_memory', '{}', 0 from facts
  where visibility = 'persona' and superseded_by in (select id from rules) limit 1
  on conflict (id) do update set due_at = 0;
update facts set kind = 'preference' where kind = 'instruction' and superseded_by is null and status <> 'forgotten';
create temp view playbooks_in_force as
  select * from (
    select v.*, row_number() over (partition by v.kind order by p.version_id is null, v.number desc) as place
    from playbook_versions v left join playbook_pins p on p.kind = v.kind and p.version_id = v.id) ranked
  where place = 1 and origin = 'owner' and kind not like 'task:%';
insert into rules (id, text, effect, tools_json, whom_json, scope, said_by, said_tier, origin, made_at)
  select 'r' || lower(hex(randomblob(5))), playbook_json ->> '$.advice', 'words', '[]', '[]', 'persona', 'command', 'owner',
    'playbook', created_at
  from playbooks_in_force where coalesce(playbook_json ->> '$.advice', '') <> '';
insert into rules (id, text, effect, tools_json, whom_json, scope, said_by, said_tier, origin, made_at)
  select 'r' || lower(hex(randomblob(5))), coalesce(nullif(denied.value ->> '$.reason', ''), v.playbook_json ->> '$.advice'),
    'deny', json_array(denied.value ->> '$.tool'), '[]', 'persona', 'command', 'owner', 'playbook', v.created_at
  from playbooks_in_force v, json_each(v.playbook_json, '$.narrow.deny') denied
  where v.kind = 'answer' and coalesce(json_array_length(denied.value, '$.when'), 0) = 0
    and typeof(denied.value ->> '$.tool') = 'text' and denied.value ->> '$.tool' <> '*';
drop view playbooks_in_force;
`,
  // Answers of ours that were made with what is known to be wrong by now, and what took its place.
  `
create table corrected_answers (message text primary key, fact text not null, at integer not null) strict, without rowid;
create index corrected_answers_by_fact on corrected_answers(fact);
`,
  // Which calls were asked about that are like one another, whether a rule could let them go, and when one was offered; and what
  // such a rule is about. Of questions and rules that are there already nobody knows: they are null, and count for nothing.
  `
alter table approvals add column likeness text;
alter table approvals add column teaches integer;
alter table approvals add column offered_at integer;
alter table rules add column taught_json text;
create index approvals_alike on approvals(likeness, id) where likeness is not null;
create index undo_items_by_run on undo_items(run_id);
`,
  // Whether a rule that copies somebody reaches answers, too. To rules that are there already owners have agreed without it.
  `
alter table rules add column in_answers integer not null default 0;
`,
] as const;

export const personaMigrations: readonly string[] = [...FIRST, ...SINCE];

type Migrations = typeof SINCE;

/** Each column that a migration adds to a table, with how it is declared: `['runs', 'estimated_usd', 'real not null default 0']`. */
type AddedBy<Sql> =
  Sql extends `${string}alter table ${infer Table} add column ${infer Name} ${infer Kind};${infer Rest}`
    ? readonly [Table, Name, Kind] | AddedBy<Rest>
    : never;
type ColumnsOf<Table> = Extract<AddedBy<Migrations[number]>, readonly [Table, string, string]>;

type Held<Kind> =
  | (Kind extends `text${string}` ? string : Kind extends `blob${string}` ? Uint8Array : number)
  | (Kind extends `${string}not null${string}` ? never : null);

/** What migrations have added to the rows of a table since the first ones. */
export type Added<Table extends string> = { readonly [Column in ColumnsOf<Table> as Column[1]]: Held<Column[2]> };

/** Those of them that have a value where none is given. */
export type AddedDefault<Table> = Extract<ColumnsOf<Table>, readonly [Table, string, `${string} default ${string}`]>[1];
