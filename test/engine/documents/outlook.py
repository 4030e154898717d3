"""Mails as [MS-OXMSG] says that Outlook stores them; the compound file around them is written by OLE::Storage_Lite."""
import json, pathlib, struct, subprocess
from datetime import datetime, timezone
OUT = pathlib.Path(__file__).parent / "files"
TAGS = {'class':0x001A,'subject':0x0037,'body':0x1000,'html':0x1013,'rtf':0x1009,'sender':0x0C1A,'sender_type':0x0C1E,'sender_mail':0x0C1F,
        'sender_smtp':0x5D01,'delivered':0x0E06,'submitted':0x0039,'codepage':0x3FFD,'cpid':0x3FDE,'support':0x340D,
        'name':0x3001,'type':0x3002,'mail':0x3003,'smtp':0x39FE,'kind':0x0C15,
        'filename':0x3704,'longname':0x3707,'mime':0x370E,'data':0x3701,'method':0x3705,'extension':0x3703}
def filetime(text):
    at = datetime.fromisoformat(text).astimezone(timezone.utc)
    return int((at - datetime(1601,1,1,tzinfo=timezone.utc)).total_seconds()) * 10_000_000
def crc(data):
    c = 0
    for b in data:
        c ^= b
        for _ in range(8): c = (c >> 1) ^ (0xEDB88320 if c & 1 else 0)
    return c
PRE = rb'{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0' + b'\r\n' + rb'\par \pard\plain\f0\fs20\b\i\u\tab\tx'
def lzfu(raw):
    """Compressed as [MS-OXRTFCP] says, with the references that a simple search finds."""
    window = bytearray(4096); window[:len(PRE)] = PRE; at = len(PRE)
    out = bytearray(); i = 0; tokens = []
    def flush():
        nonlocal tokens
        flags = sum(1 << n for n, (isref, _) in enumerate(tokens) if isref)
        out.append(flags)
        for _, data in tokens: out.extend(data)
        tokens = []
    while True:
        best = (0, 0)
        if i < len(raw):
            for length in range(17, 1, -1):
                piece = raw[i:i+length]
                if len(piece) < length: continue
                found = bytes(window).find(piece)
                if found >= 0 and not (found <= at < found + length) and found + length <= 4096: best = (found, length); break
        if i >= len(raw):
            tokens.append((True, struct.pack('>H', (at % 4096) << 4)))
            flush(); break
        if best[1] >= 2:
            tokens.append((True, struct.pack('>H', best[0] << 4 | best[1] - 2)))
            piece = raw[i:i+best[1]]
        else:
            piece = raw[i:i+1]; tokens.append((False, piece))
        for b in piece:
            window[at % 4096] = b; at = (at + 1) % 4096
        i += len(piece)
        if len(tokens) == 8: flush()
    return struct.pack('<III', len(out) + 12, len(raw), 0x75465A4C) + struct.pack('<I', crc(out)) + bytes(out)
def mela(raw): return struct.pack('<IIII', len(raw) + 12, len(raw), 0x414C454D, 0) + raw
def storage(props, head, charset):
    """Streams of one storage: fixed values in the table, all others beside it."""
    streams, table = {}, b''
    for name, value in props.items():
        tag = TAGS[name]
        if isinstance(value, bool): kind, cell = 0x000B, struct.pack('<Q', int(value))
        elif isinstance(value, int): kind, cell = 0x0003, struct.pack('<iI', value, 0)
        elif name in ('delivered','submitted'): kind, cell = 0x0040, struct.pack('<Q', filetime(value))
        elif isinstance(value, bytes): kind, data = 0x0102, value
        elif charset: kind, data = 0x001E, value.encode(charset)
        else: kind, data = 0x001F, value.encode('utf-16-le')
        if kind in (0x0102, 0x001E, 0x001F):
            streams['__substg1.0_%04X%04X' % (tag, kind)] = data
            size = len(data) + {0x0102: 0, 0x001E: 1, 0x001F: 2}[kind]
            cell = struct.pack('<II', size, 0)
        table += struct.pack('<HHI', kind, tag, 6) + cell
    streams['__properties_version1.0'] = head + table
    return streams
def message(m, top=True):
    charset = m.get('charset')
    recipients, files = m.get('to', []), m.get('files', [])
    counts = struct.pack('<8xIIII', len(recipients), len(files), len(recipients), len(files)) + (b'\0' * 8 if top else b'')
    props = {'class': 'IPM.Note', **m['props']}
    if not charset: props['support'] = 0x40000
    tree = storage(props, counts, charset)
    for n, r in enumerate(recipients): tree['__recip_version1.0_#%08X' % n] = storage(r, b'\0' * 8, charset)
    for n, f in enumerate(files):
        f = dict(f); inner = f.pop('message', None)
        sub = storage({**f, 'method': 5 if inner else 1}, b'\0' * 8, charset)
        if inner: sub['__substg1.0_3701000D'] = message(inner, False)
        tree['__attach_version1.0_#%08X' % n] = sub
    if top: tree['__nameid_version1.0'] = {'__substg1.0_00020102': b'', '__substg1.0_00030102': b'', '__substg1.0_00040102': b''}
    return tree
PERL = r'''
use OLE::Storage_Lite; use JSON::PP; use MIME::Base64; local $/; my ($out, $tree) = @{decode_json(<STDIN>)};
my @now = gmtime(1767225600);
sub made { my ($t) = @_; return map { my $n = OLE::Storage_Lite::Asc2Ucs($_); my $v = $t->{$_};
  ref $v eq 'HASH' ? OLE::Storage_Lite::PPS::Dir->new($n, \@now, \@now, [made($v)]) : OLE::Storage_Lite::PPS::File->new($n, decode_base64($v)) } sort keys %$t }
OLE::Storage_Lite::PPS::Root->new(\@now, \@now, [made($tree)])->save($out);
'''
def save(name, m):
    import base64
    enc = lambda t: {k: enc(v) if isinstance(v, dict) else base64.b64encode(v).decode() for k, v in t.items()}
    subprocess.run(['/usr/bin/perl', '-e', PERL], input=json.dumps([f'{OUT}/{name}', enc(message(m))]).encode(), check=True)
smtp = lambda name, mail, kind=1: {'name': name, 'type': 'SMTP', 'mail': mail, 'smtp': mail, 'kind': kind}
sent = lambda name, mail: {'sender': name, 'sender_type': 'SMTP', 'sender_mail': mail, 'sender_smtp': mail}
when = {'submitted': '2026-03-02T09:30:00+05:30', 'delivered': '2026-03-02T04:00:07+00:00'}
save('outlook-plain.msg', {'props': {'subject': 'Angebot für die Größe „L“ — 見積書', **sent('Jürgen Müller', 'j.mueller@firma.example'), **when,
    'body': 'Guten Tag,\r\n\r\nanbei unser Angebot über 1.250,00 €.\r\nお見積書を添付します。\r\n'},
    'to': [smtp('Ada', 'ada@agents.example'), smtp('鈴木花子', 'hanako@tokyo.example'), smtp('Kopie', 'cc@firma.example', 2)]})
save('outlook-1252.msg', {'charset': 'cp1252', 'props': {'subject': 'Rückfrage zur Lieferung – Straße', **sent('Käthe Weiß', 'kaethe@firma.example'), **when, 'codepage': 1252, 'cpid': 1252,
    'body': 'Fünf Pumpen à 99 € fehlen.\r\nGrüße'}, 'to': [smtp('Jürgen Groß', 'groß@firma.example'.replace('ß','ss'))]})
save('outlook-1251.msg', {'charset': 'cp1251', 'props': {'subject': 'Счёт за насосы', **sent('Иван Петров', 'ivan@nasos.example'), **when, 'codepage': 1251, 'cpid': 20866,
    'body': 'Добрый день, оплатите счёт № 17 до пятницы.'}, 'to': [smtp('Ада', 'ada@agents.example')]})
save('outlook-932.msg', {'charset': 'cp932', 'props': {'subject': '納品書の件', **sent('佐藤健二', 'sato@tokyo.example'), **when, 'codepage': 932, 'cpid': 50220,
    'body': 'ポンプを五台納品しました。'}, 'to': [smtp('エイダ', 'ada@agents.example')]})
RTF = (r'''{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fmodern Courier New;}}{\colortbl\red0\green0\blue0;}\uc1\pard\plain\deftab360 \f0\fs24
{\*\htmltag19 <html>}{\*\htmltag34 <head>}{\*\htmltag177 <style>p {\{color:red\}}</style>}{\*\htmltag41 </head>}{\*\htmltag50 <body>}
{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 The rent is due on the {\*\htmltag84 <b>}\htmlrtf {\b \htmlrtf0 third working day\htmlrtf }\htmlrtf0 {\*\htmltag92 </b>} of each month: 1.250,00 \'80, \u35211?\u31309?.\htmlrtf\par}\htmlrtf0 {\*\htmltag72 </p>}
{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Kind regards\htmlrtf\par}\htmlrtf0 {\*\htmltag72 </p>}
{\*\htmltag58 </body>}{\*\htmltag27 </html>}}''').replace('\n', '\r\n').encode()
for name, packed in (('outlook-rtf-html.msg', lzfu(RTF)), ('outlook-rtf-plain.msg', mela(RTF))):
    save(name, {'props': {'subject': 'Lease', **sent('Oscar Wright', 'oscar@lease.example'), **when, 'cpid': 1252, 'rtf': packed}, 'to': [smtp('Ada', 'ada@agents.example')]})
HTML = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style>td{color:red}</style></head><body><p>Prices for <b>März</b>:</p><table><tr><th>Part</th><th>Price</th></tr><tr><td>Pump 泵</td><td>99,00 €</td></tr><tr><td>Sail</td><td>12,50 €</td></tr></table></body></html>'
save('outlook-html.msg', {'props': {'subject': 'Prices', 'sender': 'Li', 'sender_type': 'EX', 'sender_mail': '/O=FIRM/OU=EXCHANGE/CN=RECIPIENTS/CN=LI', 'sender_smtp': 'li@firm.example', **when, 'cpid': 65001, 'html': HTML.encode()},
    'to': [{'name': 'Ada', 'type': 'EX', 'mail': '/O=FIRM/CN=ADA', 'smtp': 'ada@agents.example', 'kind': 1}]})
inner = {'props': {'subject': 'The original', **sent('Nina Holt', 'nina@holt.example'), **when, 'body': 'Forty-two sails were ordered.'}, 'to': [smtp('Oscar', 'oscar@lease.example')],
    'files': [{'filename': 'SAILS.CSV', 'longname': 'sails größe.csv', 'mime': 'text/csv', 'extension': '.csv', 'data': 'sail,price\r\nGenoa,420\r\n'.encode()}]}
save('outlook-nested.msg', {'props': {'subject': 'FW: The original', **sent('Oscar Wright', 'oscar@lease.example'), **when, 'body': 'See below.'}, 'to': [smtp('Ada', 'ada@agents.example')],
    'files': [{'name': 'The original', 'message': inner}, {'filename': 'NOTE~1.TXT', 'longname': 'note for Ada.txt', 'mime': 'text/plain', 'data': 'The note says seventeen. ' .encode() * 400}]})
offer = {'filename': 'ANGEBOT.PDF', 'longname': 'Angebot.pdf', 'mime': 'application/pdf', 'extension': '.pdf', 'data': (OUT / 'made' / 'letter-de.pdf').read_bytes()}
save('outlook-offer.msg', {'props': {'subject': 'WG: Angebot Bohrer', **sent('Jürgen Müller', 'j.mueller@firma.example'), **when, 'body': 'Unser Angebot hängt an.'},
    'to': [smtp('Ada', 'ada@agents.example')], 'files': [offer]})
