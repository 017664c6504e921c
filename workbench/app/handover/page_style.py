"""How the page looks, in light and in dark and on paper. It is all that the page may load, by its hash."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root{color-scheme:light dark;
--window:#f4f4f2;--base:#fcfcfb;--hair:#e2e2de;--edge:#85878e;--ink:#1d1e21;--ink2:#5e6067;
--accent:#5347c4;--ok:#1e7443;--warn:#865600;--err:#b4271f;--run:#1a64ad;--errbg:#fbedeb}
@media(prefers-color-scheme:dark){:root{--window:#232428;--base:#1c1d20;--hair:#34363b;--edge:#7e8189;--ink:#e3e4e7;
--ink2:#a1a4ac;--accent:#aba4ff;--ok:#6cc48c;--warn:#dda94f;--err:#f48b84;--run:#74b4f2;--errbg:#3a2626}}
*{box-sizing:border-box}
body{margin:0;background:var(--base);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
header,main,footer{max-width:56rem;margin:0 auto;padding:1rem 1.5rem}
header{padding-top:2rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:2.5rem 0 .25rem;padding-top:1rem;border-top:1px solid var(--hair)}
section:first-child h2{margin-top:0;border-top:0;padding-top:0}
h3{font-size:.8rem;font-weight:600;color:var(--ink2);margin:.75rem 0 .25rem}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:1px;border-radius:3px}
.facts,.time,footer{color:var(--ink2);font-size:.85rem}
.facts{margin:0 0 1rem}
.said{margin:1.25rem 0;padding-left:.9rem;border-left:3px solid var(--hair)}
.said.user{border-color:var(--accent)}
.said.failed{border-color:var(--err)}
.d1{margin-left:1.5rem}.d2{margin-left:3rem}.d3{margin-left:4.5rem}.d4{margin-left:6rem}
.who{font-weight:600;margin-right:.75rem}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:.15rem 0}
pre{margin:.25rem 0;padding:.6rem .75rem;background:var(--window);border:1px solid var(--hair);border-radius:4px;
font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
details{margin:.4rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
.call{border:1px solid var(--hair);border-radius:4px;padding:.3rem .7rem}
.call summary code{font:600 13px/1.45 ui-monospace,monospace}
.call .preview{color:var(--ink2);font:13px/1.45 ui-monospace,monospace}
.ok{color:var(--ok)}.err{color:var(--err)}.warn{color:var(--warn)}.run{color:var(--run)}
.failure{background:var(--errbg);padding:.5rem .75rem;border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}
img{display:block;max-width:100%;max-height:32rem;margin:.5rem 0;border:1px solid var(--hair);border-radius:4px}
ul.files{margin:.4rem 0;padding-left:1.2rem}
.contents{padding-left:1.2rem}
@page{margin:1.5cm}
@media print{:root{--window:#f4f4f2;--base:#fff;--hair:#ccc;--edge:#888;--ink:#000;--ink2:#444;--accent:#000;--ok:#0a5;
--warn:#850;--err:#a00;--run:#06a;--errbg:#fff}
header,main,footer{max-width:none;padding:0}.said,.call,img{break-inside:avoid-page}
details::details-content{content-visibility:visible;block-size:auto}}
"""

POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'"
)
"""The page runs nothing and reaches nothing, whatever stands in what was said."""
