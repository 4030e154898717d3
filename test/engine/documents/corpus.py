"""Makes documents with office programs and tools of Debian, and writes what has to come out of each.

    apt-get install libreoffice gnumeric pandoc groff ghostscript qpdf img2pdf poppler-utils p7zip-full zip
    python3 corpus.py            # files/made/* and files/made.json
"""

import email.mime.application, email.mime.message, email.mime.multipart, email.mime.text, email.policy
import json, os, pathlib, shutil, subprocess, tempfile, zipfile

HERE = pathlib.Path(__file__).parent
OUT = HERE / "files" / "made"
WORK = pathlib.Path(tempfile.mkdtemp())
HEAD, ROWS = ["Article", "Place", "Quantity", "Price (EUR)"], 4

# Language: title, three paragraphs, the headings, and rows with empty cells and numbers as they are written there.
TEXTS = {
    "en": ("Workshop lease", ["The lease begins on 1 March 2027 and runs for five years.", "The rent is 1,850.00 EUR a month without heating.", "Notice is given in writing, six months ahead."],
           ["Article", "Place", "Quantity", "Price (EUR)"], [["Drill K-44", "Kiel", "17", "1,234.50"], ["Saw", "", "3", "99.00"], ["Plane", "Bremen", "", "45.90"]]),
    "de": ("Mietvertrag der Werkstatt", ["Das Mietverhältnis beginnt am 1. März 2027 und läuft fünf Jahre.", "Die Miete beträgt 1.850,00 EUR im Monat ohne Heizung.", "Die Kündigung erfolgt schriftlich, größere Mängel sind sofort anzuzeigen."],
           ["Artikel", "Lager", "Menge", "Preis (EUR)"], [["Bohrer K-44", "Kiel", "17", "1.234,50"], ["Säge", "", "3", "99,00"], ["Hobel", "Bremen", "", "45,90"]]),
    "fr": ("Bail de l’atelier", ["Le bail commence le 1er mars 2027 et dure cinq ans.", "Le loyer s’élève à 1 850,00 EUR par mois hors chauffage.", "Le préavis est donné par écrit, six mois à l’avance."],
           ["Article", "Dépôt", "Quantité", "Prix (EUR)"], [["Perceuse K-44", "Lyon", "17", "1 234,50"], ["Scie", "", "3", "99,00"], ["Rabot", "Nantes", "", "45,90"]]),
    "es": ("Contrato del taller", ["El arrendamiento empieza el 1 de marzo de 2027 y dura cinco años.", "La renta es de 1.850,00 EUR al mes sin calefacción.", "El preaviso se da por escrito con seis meses de antelación."],
           ["Artículo", "Almacén", "Cantidad", "Precio (EUR)"], [["Taladro K-44", "Cádiz", "17", "1.234,50"], ["Sierra", "", "3", "99,00"], ["Cepillo", "Gijón", "", "45,90"]]),
    "pt": ("Contrato da oficina", ["O arrendamento começa em 1 de março de 2027 e dura cinco anos.", "A renda é de 1.850,00 EUR por mês sem aquecimento.", "O aviso é dado por escrito com seis meses de antecedência."],
           ["Artigo", "Armazém", "Quantidade", "Preço (EUR)"], [["Berbequim K-44", "Braga", "17", "1.234,50"], ["Serra", "", "3", "99,00"], ["Plaina", "Évora", "", "45,90"]]),
    "pl": ("Umowa najmu warsztatu", ["Najem zaczyna się 1 marca 2027 i trwa pięć lat.", "Czynsz wynosi 1850,00 EUR miesięcznie bez ogrzewania.", "Wypowiedzenie składa się na piśmie sześć miesięcy wcześniej."],
           ["Artykuł", "Skład", "Ilość", "Cena (EUR)"], [["Wiertarka K-44", "Łódź", "17", "1 234,50"], ["Piła", "", "3", "99,00"], ["Strug", "Gdańsk", "", "45,90"]]),
    "tr": ("Atölye kira sözleşmesi", ["Kira 1 Mart 2027 tarihinde başlar ve beş yıl sürer.", "Kira bedeli ısıtma hariç ayda 1.850,00 EUR tutarındadır.", "Fesih altı ay önceden yazılı olarak bildirilir."],
           ["Ürün", "Depo", "Miktar", "Fiyat (EUR)"], [["Matkap K-44", "İzmir", "17", "1.234,50"], ["Testere", "", "3", "99,00"], ["Rende", "Muğla", "", "45,90"]]),
    "ru": ("Договор аренды мастерской", ["Аренда начинается 1 марта 2027 года и длится пять лет.", "Арендная плата составляет 1850,00 евро в месяц без отопления.", "Уведомление подаётся письменно за шесть месяцев."],
           ["Товар", "Склад", "Количество", "Цена (EUR)"], [["Дрель K-44", "Тверь", "17", "1 234,50"], ["Пила", "", "3", "99,00"], ["Рубанок", "Пермь", "", "45,90"]]),
    "el": ("Μίσθωση εργαστηρίου", ["Η μίσθωση αρχίζει την 1η Μαρτίου 2027 και διαρκεί πέντε έτη.", "Το μίσθωμα είναι 1.850,00 EUR τον μήνα χωρίς θέρμανση.", "Η καταγγελία γίνεται εγγράφως έξι μήνες πριν."],
           ["Είδος", "Αποθήκη", "Ποσότητα", "Τιμή (EUR)"], [["Τρυπάνι K-44", "Βόλος", "17", "1.234,50"], ["Πριόνι", "", "3", "99,00"], ["Πλάνη", "Χανιά", "", "45,90"]]),
    "he": ("חוזה שכירות", ["השכירות מתחילה באחד במרץ ונמשכת חמש שנים", "דמי השכירות החודשיים הם אלף שמונה מאות וחמישים אירו", "יש למסור הודעה בכתב שישה חודשים מראש"],
           ["פריט", "מחסן", "כמות", "מחיר"], [["מקדחה", "חיפה", "17", "1,234.50"], ["מסור", "", "3", "99.00"], ["מקצוע", "יפו", "", "45.90"]]),
    "ar": ("عقد إيجار الورشة", ["يبدأ عقد الإيجار في الأول من مارس ويستمر خمس سنوات", "الإيجار الشهري ألف وثمانمائة وخمسون يورو", "يجب تقديم الإشعار كتابيا قبل ستة أشهر"],
           ["صنف", "مخزن", "كمية", "سعر"], [["مثقاب", "بيروت", "17", "1,234.50"], ["منشار", "", "3", "99.00"], ["مسحاج", "دمشق", "", "45.90"]]),
    "ja": ("作業場の賃貸契約書", ["賃貸借は二〇二七年三月一日に始まり、五年間続きます。", "家賃は月額十八万五千円で、暖房費は別です。", "解約は六か月前に書面で通知してください。"],
           ["品目", "倉庫", "数量", "価格"], [["ドリル K-44", "神戸", "17", "1,234"], ["鋸", "", "3", "99"], ["鉋", "横浜", "", "45"]]),
    "zh": ("车间租赁合同", ["租期自2027年3月1日起，为期五年。", "每月租金为人民币一万八千五百元，另加取暖费。", "终止合同须提前六个月书面通知。"],
           ["货品", "仓库", "数量", "价格"], [["电钻 K-44", "青岛", "17", "1,234.50"], ["锯", "", "3", "99.00"], ["刨子", "大连", "", "45.90"]]),
    "ko": ("작업장 임대차 계약서", ["임대차는 2027년 3월 1일에 시작하여 오 년간 계속됩니다.", "월세는 난방비를 제외하고 백팔십오만 원입니다.", "해지는 여섯 달 전에 서면으로 통지합니다."],
           ["품목", "창고", "수량", "가격"], [["드릴 K-44", "부산", "17", "1,234.50"], ["톱", "", "3", "99.00"], ["대패", "인천", "", "45.90"]]),
}
expected = []


def run(*command, cwd=None, **options):
    subprocess.run([str(one) for one in command], check=True, cwd=cwd or WORK, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def office(to, *files, infilter=None):
    """By LibreOffice; each file beside itself."""
    filters = [f"--infilter={infilter}"] if infilter else []
    run("soffice", f"-env:UserInstallation=file://{WORK}/profile", "--headless", *filters, "--convert-to", to, "--outdir", WORK, *files)


def keep(path, name=None, **wanted):
    target = OUT / (name or path.name)
    if path != target:
        shutil.copyfile(path, target)
    expected.append({"file": f"made/{target.name}", **wanted})


def wanted_of(language, tables=True):
    title, paragraphs, head, rows = TEXTS[language]
    cells = [["*", r + 1, c + 1, cell] for r, row in enumerate([head, *rows]) for c, cell in enumerate(row)]
    return {"contains": [title, *paragraphs], **({"cells": cells} if tables else {})}


def page(language):
    title, paragraphs, head, rows = TEXTS[language]
    row = lambda cells, tag: "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"
    direction = ' dir="rtl"' if language in ("he", "ar") else ""
    return (f'<html lang="{language}"{direction}><head><meta charset="utf-8"><title>{title}</title></head><body{direction}><h1>{title}</h1>'
            + "".join(f"<p>{text}</p>" for text in paragraphs)
            + '<table border="1" cellspacing="0" cellpadding="4"' + (' width="100%"' if language == "fr" else "") + '>' + row(head, "th") + "".join(row(cells, "td") for cells in rows) + "</table></body></html>")


def letters():
    for language in TEXTS:
        (WORK / f"letter-{language}.html").write_text(page(language), "utf-8")
    office("odt", *[WORK / f"letter-{one}.html" for one in TEXTS], infilter="HTML (StarWriter)")
    for suffix, languages in {
        "pdf": list(TEXTS),
        "docx": ["en", "fr", "es", "pl", "el", "he", "ko", "zh"],
        "rtf": ["es", "ru", "el", "tr", "ar"],
        "odt": ["fr", "pt", "ru", "ar", "ko", "tr"],
        "html": ["de", "ru", "ja"],
    }.items():
        files = [WORK / f"letter-{one}.odt" for one in languages]
        if suffix != "odt":
            office(suffix, *files)
        for one in languages:
            keep(WORK / f"letter-{one}.{suffix}", **wanted_of(one, tables=suffix not in ("rtf",)))


def pandoc():
    for language in ("en", "es", "ja"):
        title, paragraphs, head, rows = TEXTS[language]
        table = ["|" + "|".join(head) + "|", "|" + "---|" * len(head), *["|" + "|".join(row) + "|" for row in rows]]
        source = WORK / f"pandoc-{language}.md"
        source.write_text("\n\n".join([f"# {title}", *paragraphs, "\n".join(table)]) + "\n", "utf-8")
        for suffix in ("docx", "odt", "html", "pptx"):
            made = WORK / f"pandoc-{language}.{suffix}"
            run("pandoc", "-s", "--metadata", f"title={title}", source, "-o", made)
            keep(made, **wanted_of(language))
    office("odp", *[WORK / f"pandoc-{one}.pptx" for one in ("en", "ja")])
    office("pdf", WORK / "pandoc-es.pptx")
    for one in ("en", "ja"):
        keep(WORK / f"pandoc-{one}.odp", f"lo-slides-{one}.odp", **wanted_of(one, tables=False))
    keep(WORK / "pandoc-es.pdf", "lo-slides-es.pdf", contains=TEXTS["es"][1])


# A workbook as LibreOffice writes it by hand: name, cells; a formula has no value until a program works it out.
BOOK = [
    ("Orders", [["Customer", "Day", "Net", "Rate", "Gross", "Paid"],
                ["Adams & Söhne", "2026-03-01", 1234.5, 0.19, "=C2*(1+D2)", "yes"],
                ["Über GmbH", "2026-03-15", 99, 0.07, "=C3*(1+D3)", "no"],
                ["日本商事", "2026-12-31", 1000000.25, 0, "=C4*(1+D4)", None],
                ["Ça & Là", None, -12.5, 0.19, "=C5*(1+D5)", "yes"]]),
    ("Totals", [["What", "Value"], ["Sum", "=SUM(Orders.C2:Orders.C5)"], ["Rows", "=COUNTA(Orders.A2:Orders.A5)"]]),
]
VALUES = {(0, 1, 4): "1469.05", (0, 2, 4): "105.93", (0, 3, 4): "1000000.25", (0, 4, 4): "-14.87", (1, 1, 1): "1001321.25", (1, 2, 1): "4"}


def flat_sheet(cell):
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, (int, float)):
        return f'<table:table-cell office:value-type="float" office:value="{cell}"/>'
    if cell.startswith("="):
        body = __import__("re").sub(r"(?:(\w+)\.)?([A-Z]\d)(?::(?:\w+\.)?([A-Z]\d))?", lambda m: f"[{m[1] or ''}.{m[2]}" + (f":{m[1] or ''}.{m[3]}" if m[3] else "") + "]", cell)
        return f'<table:table-cell table:formula="of:{body}" office:value-type="float"/>'
    if __import__("re").fullmatch(r"\d{4}-\d\d-\d\d", cell):
        return f'<table:table-cell table:style-name="day" office:value-type="date" office:date-value="{cell}"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{cell.replace("&", "&amp;")}</text:p></table:table-cell>'


def sheets():
    urns = {"office": "office:1.0", "table": "table:1.0", "text": "text:1.0", "style": "style:1.0", "number": "datastyle:1.0"}
    names = " ".join(f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{urn}"' for one, urn in urns.items()) + ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'
    body = "".join(f'<table:table table:name="{name}">' + "".join("<table:table-row>" + "".join(map(flat_sheet, row)) + "</table:table-row>" for row in rows) + "</table:table>" for name, rows in BOOK)
    day = '<number:date-style style:name="iso"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style><style:style style:name="day" style:family="table-cell" style:data-style-name="iso"/>'
    source = WORK / "book.fods"
    source.write_text(f'<?xml version="1.0" encoding="UTF-8"?><office:document {names} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>{day}</office:automatic-styles><office:body><office:spreadsheet>{body}</office:spreadsheet></office:body></office:document>', "utf-8")
    # A value may be followed by more digits.
    cells = [[name, r + 1, c + 1, VALUES.get((s, r, c), "" if cell is None else cell)]
             for s, (name, rows) in enumerate(BOOK) for r, row in enumerate(rows) for c, cell in enumerate(row)]
    whole = {"cells": [one for one in cells if not str(one[3]).startswith("=")], "sheets": [name for name, _ in BOOK]}
    office("xlsx", source)
    keep(WORK / "book.xlsx", "lo-book.xlsx", **whole)
    office("ods", source)
    keep(WORK / "book.ods", "lo-book.ods", **whole)
    run("ssconvert", WORK / "book.xlsx", WORK / "gnumeric-book.xlsx")
    keep(WORK / "gnumeric-book.xlsx", **whole)
    run("ssconvert", WORK / "book.xlsx", WORK / "gnumeric-book.ods")
    keep(WORK / "gnumeric-book.ods", **whole)
    texts = [["*", r, c, value] for _, r, c, value in cells if _ == "Orders" and c in (1, 2) and value != ""]
    for name, options in {"lo-utf8": "44,34,76", "lo-semicolon": "59,34,76", "lo-tabs": "9,34,76", "lo-utf16": "59,34,65535", "lo-1252": "59,34,1"}.items():
        source_rows = texts if name != "lo-1252" else [one for one in texts if one[1] != 4]
        office(f"csv:Text - txt - csv (StarCalc):{options}", source)
        keep(WORK / "book.csv", f"{name}.csv", cells=source_rows)
    run("ssconvert", WORK / "book.xlsx", WORK / "gnumeric.csv")
    keep(WORK / "gnumeric.csv", cells=[one for one in texts if one[3] == "Über GmbH" or one[1] == 1])
    office("html", source)
    keep(WORK / "book.html", "lo-book.html", anywhere=["Adams & Söhne", "日本商事", "Ça & Là"])
    office("pdf", source)
    keep(WORK / "book.pdf", "lo-book.pdf", contains=["Customer", "Adams & Söhn", "Über GmbH", "日本商事", "Ça & Là"], never=["| --- | --- | --- |"])


def written_amounts():
    """A sheet whose amounts are texts, as they come out of other programs."""
    rows = [["Artikel", "Betrag"], ["Bohrer", "1.234,50"], ["Kran", "112.000,00"], ["Säge", "99,00"], ["Hobel", ""], ["Rabatt", "-1.500,25"]]
    (WORK / "amounts.csv").write_text("\n".join(";".join(f'"{cell}"' for cell in row) for row in rows), "utf-8")
    office("ods", WORK / "amounts.csv", infilter="Text - txt - csv (StarCalc):59,34,76,1,1/2/2/2")
    keep(WORK / "amounts.ods", "lo-amounts.ods", cells=[["*", r + 1, c + 1, cell] for r, row in enumerate(rows) for c, cell in enumerate(row)])


def long_tables():
    """Tables over several pages, with lines and without, and beside prose."""
    items = [[f"K-{n:03}", f"Part number {n}", str(n * 7 % 90 + 1), f"{n * 13.25:,.2f}"] for n in range(1, 121)]
    head = ["Key", "Name", "Stock", "Price"]
    cells = [["*", r + 1, c + 1, [head, *items][r][c]] for r in (0, 1, 40, 60, 119, 120) for c in range(4)]
    row = lambda texts, tag: "<tr>" + "".join(f'<{tag} align="{"right" if c > 1 else "left"}">{text}</{tag}>' for c, text in enumerate(texts)) + "</tr>"
    for name, border in {"ruled": 1, "bare": 0}.items():
        text = f'<html><body><h1>Stock</h1><p>What lies in the yard.</p><table border="{border}" cellspacing="0" cellpadding="3" width="80%"><thead>{row(head, "th")}</thead>{"".join(row(one, "td") for one in items)}</table><p>End of the list.</p></body></html>'
        (WORK / f"long-{name}.html").write_text(text, "utf-8")
        office("odt", WORK / f"long-{name}.html", infilter="HTML (StarWriter)")
        office("pdf", WORK / f"long-{name}.odt")
        keep(WORK / f"long-{name}.pdf", contains=["Stock", "What lies in the yard.", "K-001", "K-120", "End of the list."], cells=cells)
    tbl = ".TS\n%s;\nl l r r.\n" + "\n".join("\t".join(one) for one in [head, *items[:20]]) + "\n.TE\n"
    few = [one for one in cells if one[1] < 20]
    for name, option in {"box": "allbox", "plain": "center"}.items():
        made = subprocess.run(["groff", "-t", "-ms", "-Tpdf"], input=(".LP\nBefore the table.\n" + tbl % option + ".LP\nAfter the table.\n").encode(), capture_output=True, check=True).stdout
        (WORK / f"groff-{name}.pdf").write_bytes(made)
        keep(WORK / f"groff-{name}.pdf", contains=["Before the table.", "K-001", "K-020", "After the table."], cells=few)
    columns = ".2C\n" + "\n".join(f".LP\nParagraph {n} of a text that is set in two columns, as papers are, so that nothing of it is a table." for n in range(1, 30))
    (WORK / "groff-columns.pdf").write_bytes(subprocess.run(["groff", "-ms", "-Tpdf"], input=columns.encode(), capture_output=True, check=True).stdout)
    keep(WORK / "groff-columns.pdf", contains=["Paragraph 1 of", "Paragraph 14 of", "Paragraph 29 of"], never=["| --- |"])


def ten_pages():
    """A report of ten pages, each with a page of prose or a table with lines."""
    prose = "".join(f"<p>Chapter {n}. " + f"The measure of kiln {n} is stable, and its {n} chambers were looked at by the {n} of us who were there. " * 6 + "</p>" for n in range(1, 6))
    line = lambda n: "<tr>" + "".join(f"<td>{text}</td>" for text in (f"K-{n:04}", f"Chamber {n}", f"{n * 1.25:.2f}", f"2026-03-{n % 28 + 1:02}", "" if n % 7 == 0 else "yes")) + "</tr>"
    table = lambda n: '<table border="1" cellspacing="0" width="100%"><tr><th>Key</th><th>Chamber</th><th>Measure</th><th>Day</th><th>Stable</th></tr>' + "".join(line(n * 100 + at) for at in range(30)) + "</table>"
    body = "".join(f'<div><h2 style="page-break-before: {"always" if n else "auto"}">Part {n + 1}</h2>{table(n) if n % 2 else prose}</div>' for n in range(10))
    (WORK / "ten-pages.html").write_text(f"<html><body>{body}</body></html>", "utf-8")
    office("odt", WORK / "ten-pages.html", infilter="HTML (StarWriter)")
    office("pdf", WORK / "ten-pages.odt")
    keep(WORK / "ten-pages.pdf", contains=["Part 1", "Chapter 5.", "Part 2", "K-0100", "Part 10", "K-0929"], cells=[["table 1", 1, 3, "Measure"], ["table 1", 8, 5, "yes"], ["table 5", 31, 1, "K-0929"]], pages=10)
    paper = ".2C\n" + "\n".join(f".NH\nSection {n}\n.LP\n" + f"The measure of kiln {n} is stable, and nothing of it is a table. " * 40 for n in range(1, 20))
    (WORK / "groff-paper.pdf").write_bytes(subprocess.run(["groff", "-ms", "-Tpdf"], input=paper.encode(), capture_output=True, check=True).stdout)
    keep(WORK / "groff-paper.pdf", contains=["Section 1", "kiln 1 is", "Section 19", "kiln 19 is"], never=["| --- |"])


def rewritten():
    """The same pages by other programs, locked, and as pictures."""
    one = OUT / "letter-de.pdf"
    for name, options in {"gs-de.pdf": [], "gs-old-de.pdf": ["-dCompatibilityLevel=1.3"]}.items():
        run("gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", *options, f"-sOutputFile={WORK / name}", one)
        keep(WORK / name, **wanted_of("de"))
    run("pdftocairo", "-pdf", OUT / "letter-fr.pdf", WORK / "cairo-fr.pdf")
    keep(WORK / "cairo-fr.pdf", **wanted_of("fr"))
    for name, options in {"qpdf-linear.pdf": ["--linearize"], "qpdf-streams.pdf": ["--object-streams=generate"], "qpdf-open-aes.pdf": ["--encrypt", "", "owner", "256", "--"]}.items():
        run("qpdf", *options, OUT / "letter-es.pdf", WORK / name)
        keep(WORK / name, **wanted_of("es"))
    run("qpdf", "--encrypt", "secret", "owner", "256", "--", OUT / "letter-es.pdf", WORK / "qpdf-aes.pdf")
    keep(WORK / "qpdf-aes.pdf", refused="encrypted")
    run("pdftoppm", "-r", "40", "-gray", "-png", one, WORK / "scan")
    pictures = sorted(WORK.glob("scan-*.png"))
    run("img2pdf", *pictures, "-o", WORK / "scan-de.pdf")
    keep(WORK / "scan-de.pdf", refused="scanned")
    run("gs", "-q", "-dNOPAUSE", "-dBATCH", "-r40", "-sDEVICE=pdfimage8", f"-sOutputFile={WORK / 'gs-scan.pdf'}", one)
    keep(WORK / "gs-scan.pdf", refused="scanned")
    run("qpdf", "--empty", "--pages", one, pathlib.Path(WORK / "scan-de.pdf"), "--", WORK / "half-scan.pdf")
    keep(WORK / "half-scan.pdf", contains=TEXTS["de"][1])


def archives():
    files = ["letter-es.docx", "lo-book.xlsx", "letter-ja.pdf"]
    run("zip", "-q", WORK / "zip-letters.zip", *files, cwd=OUT)
    keep(WORK / "zip-letters.zip", contains=[], parts=files)
    run("7z", "a", "-tzip", WORK / "7z-deep.zip", WORK / "zip-letters.zip", OUT / "lo-semicolon.csv")
    keep(WORK / "7z-deep.zip", parts=["zip-letters.zip", "lo-semicolon.csv"])
    run("7z", "a", "-tzip", "-psecret", WORK / "7z-locked.zip", OUT / "lo-semicolon.csv")
    keep(WORK / "7z-locked.zip", refused_any=[None, "encrypted"])
    run("7z", "a", WORK / "letters.7z", OUT / "letter-es.docx")
    keep(WORK / "letters.7z", refused="unsupported")
    mail = email.mime.multipart.MIMEMultipart(policy=email.policy.SMTP)
    mail["From"], mail["To"], mail["Subject"], mail["Date"] = "Zoë Groß <zoe@gross.example>", "ada@personas.example", "Angebot über Bohrer", "Mon, 02 Mar 2026 10:00:00 +0100"
    mail.attach(email.mime.text.MIMEText("Anbei unser Angebot über 17 Bohrer.", "plain", "utf-8"))
    mail.attach(email.mime.application.MIMEApplication((OUT / "letter-es.docx").read_bytes(), Name="contrato.docx"))
    outer = email.mime.multipart.MIMEMultipart(policy=email.policy.SMTP)
    outer["From"], outer["To"], outer["Subject"] = "Max <max@example.com>", "ada@personas.example", "Fwd: Angebot"
    outer.attach(email.mime.text.MIMEText("Siehe unten.", "plain", "utf-8"))
    outer.attach(email.mime.message.MIMEMessage(mail))
    (WORK / "python-offer.eml").write_bytes(mail.as_bytes())
    (WORK / "python-forwarded.eml").write_bytes(outer.as_bytes())
    keep(WORK / "python-offer.eml", contains=["Zoë Groß", "Angebot über Bohrer", "Anbei unser Angebot über 17 Bohrer."], parts=["contrato.docx"])
    keep(WORK / "python-forwarded.eml", contains=["Fwd: Angebot", "Siehe unten."])


def damaged():
    for name in ("letter-es.docx", "lo-book.xlsx", "pandoc-en.pptx", "letter-fr.odt", "letter-de.pdf"):
        whole = (OUT / name).read_bytes()
        stem, suffix = name.rsplit(".", 1)
        (OUT / f"cut-{stem}.{suffix}").write_bytes(whole[: len(whole) * 2 // 3])
        keep(OUT / f"cut-{stem}.{suffix}", refused_any=["broken"] if suffix != "pdf" else [None, "broken"])
    office("doc", WORK / "letter-de.odt")
    keep(WORK / "letter-de.doc", "lo-old.doc", refused="unsupported")
    bomb = WORK / "bomb.xlsx"
    with zipfile.ZipFile(OUT / "lo-book.xlsx") as source, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for entry in source.namelist():
            data = source.read(entry)
            target.writestr(entry, data if "sheet1" not in entry else data.replace(b"</sheetData>", b"<row/>" * 50_000_000 + b"</sheetData>"))
    keep(bomb, refused="bomb")
    inner = b"nothing"
    for depth in range(8):
        path = WORK / f"deep-{depth}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
            target.writestr("a.txt" if depth == 0 else "next.zip", inner)
        inner = path.read_bytes()
    keep(path, "zip-in-zip.zip", parts=["next.zip"])


shutil.rmtree(OUT, ignore_errors=True)
OUT.mkdir(parents=True)
for step in (letters, pandoc, sheets, written_amounts, long_tables, ten_pages, rewritten, archives, damaged):
    step()
    print(step.__name__, len(expected))
(HERE / "files" / "made.json").write_text("[\n" + ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in expected) + "\n]\n", "utf-8")
shutil.rmtree(WORK)
