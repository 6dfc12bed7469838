#!/usr/bin/env python3
"""manual.py [FOLDER] - builds the manual as HTML pages with search, in FOLDER (default: build/manual), by Sphinx with MyST and
Furo (Debian: python3-sphinx, python3-myst-parser, furo). The pages can be read from the disk, search included: no server, no
network.

The pages of the repository are copied as they lie, so that their links hold. The first page is docs/README.md, and what its
tables list, in their order, is the navigation; pages of other folders that are linked from there or from each other follow."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIRST = 'docs/README.md'
MORE = ('Inside', ['src/README.md', 'ad/README.md', 'bench/README.md', 'CHANGELOG.md'])
# Furo's own; in Debian's build of it they are lost where a page follows the system.
DARK = {
    'color-foreground-primary': '#ffffffcc', 'color-foreground-secondary': '#9ca0a5', 'color-foreground-muted': '#81868d',
    'color-foreground-border': '#666666', 'color-background-primary': '#131416', 'color-background-secondary': '#1a1c1e',
    'color-background-hover': '#1e2124ff', 'color-background-hover--transparent': '#1e212400',
    'color-background-border': '#303335', 'color-background-item': '#444', 'color-brand-primary': '#2b8cee',
    'color-brand-content': '#368ce2', 'color-highlighted-background': '#083563', 'color-highlight-on-target': '#333300',
    'color-card-border': 'var(--color-background-secondary)', 'color-card-background': '#18181a',
    'color-card-marginals-background': 'var(--color-background-hover)'}
CONF = f'''project = 'Costate'
html_title = 'Costate'
extensions = ['myst_parser']
root_doc = 'index'
exclude_patterns = ['_build']
myst_heading_anchors = 5
html_theme = 'furo'
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ['_static']
html_css_files = ['manual.css']
html_theme_options = {{'dark_css_variables': {DARK}}}
pygments_style = 'friendly'
highlight_language = 'none'
suppress_warnings = ['misc.highlighting_failure', 'myst.header']
'''
CSS = '''
body { margin: 0; }
img { background: transparent; max-height: 26rem; }
article table.docutils { font-size: 90%; margin-left: 0; }
'''
LINK = re.compile(r'(!?\[[^]]*\]\()([^)\s]+)(\))')


def pages():
    found = subprocess.run(['git', '-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
                           capture_output=True, text=True)
    if found.returncode == 0:
        return [path for path in found.stdout.split('\n') if path and not path.startswith('tests/')]
    tree = (os.path.join(folder, name) for top in ('docs', 'examples', 'src', 'ad', 'bench')
            for folder, _, files in os.walk(f'{ROOT}/{top}') for name in files if name.endswith('.md'))
    return [os.path.relpath(path, ROOT) for path in tree] + ['README.md', 'CHANGELOG.md']


def title(page):
    with open(f'{ROOT}/{page}') as file:
        return file.readline().lstrip('# ').rstrip()


def relink(text, page):
    """The page's text with links as the manual has them: the first page is index.md; a page that is called by the name of its
    file has its title; folders have no page, and lose the link."""
    here = os.path.dirname(page)
    above = os.path.dirname('index.md' if page == FIRST else page)

    def one(match):
        target, _, name = match.group(2).partition('#')
        if re.match(r'[a-z]+:', match.group(2)) or not target:
            return match.group()
        path = os.path.normpath(os.path.join(here, target))
        if os.path.isdir(f'{ROOT}/{path}'):
            return match.group(1)[1:-2]
        said = match.group(1)
        if path.endswith('.md') and said == f'[{os.path.basename(path)}](':
            said = f'[{title(path)}]('
        path = 'index.md' if path == FIRST else path
        return said + os.path.relpath(path, above or '.') + (f'#{name}' if name else '') + match.group(3)
    fenced, lines = False, []
    for line in text.split('\n'):
        fenced ^= line.startswith('```')
        lines.append(line if fenced or line.startswith('    ') else LINK.sub(one, line))
    return '\n'.join(lines)


def files_of(text, page):
    """What the page links to that is no page."""
    for _, target, _ in LINK.findall(text):
        path = os.path.normpath(os.path.join(os.path.dirname(page), target.partition('#')[0]))
        if os.path.isfile(f'{ROOT}/{path}') and not path.endswith('.md'):
            yield path


def navigation(text):
    """(caption, pages) from the tables of the first page: **bold** words open a part."""
    parts = [('Begin', ['README.md'])]
    for line in text.split('\n'):
        bold = re.match(r'\*\*(\w+)\*\*', line)
        if bold:
            parts.append((bold.group(1), []))
        if line.startswith('## '):
            break
        for _, target, _ in LINK.findall(line) if line.startswith('|') else ():
            if target.endswith('.md'):
                parts[-1][1].append(os.path.normpath(os.path.join(os.path.dirname(FIRST), target)))
    return parts + [MORE]


def toctree(caption, listed):
    return f'\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n' + '\n'.join(path[:-3] for path in listed) + '\n```\n'


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)


def stage(source):
    """Copies the pages and what they show."""
    listed = set()
    for page in pages():
        with open(f'{ROOT}/{page}') as file:
            text = file.read()
        for path in files_of(text, page):
            os.makedirs(os.path.dirname(f'{source}/{path}'), exist_ok=True)
            shutil.copyfile(f'{ROOT}/{path}', f'{source}/{path}')
        made = relink(text, page)
        if page == FIRST:
            parts = navigation(text)
            listed = {path for _, paths in parts for path in paths}
            made += ''.join(toctree(*part) for part in parts)
        put(f'{source}/index.md' if page == FIRST else f'{source}/{page}', made)
    for page in pages():
        if page not in listed and page != FIRST:
            with open(f'{source}/{page}') as file:
                text = file.read()
            put(f'{source}/{page}', '---\norphan: true\n---\n\n' + text)
    put(f'{source}/conf.py', CONF)
    put(f'{source}/_static/manual.css', CSS)


def main():
    target = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f'{ROOT}/build/manual')
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        stage(f'{folder}/source')
        done = subprocess.run(['sphinx-build', '-q', '-W', '--keep-going', '-b', 'html', '-d', f'{folder}/doctrees',
                               f'{folder}/source', target], check=False)
    if done.returncode:
        sys.exit(done.returncode)
    print(f'The manual is in {os.path.relpath(target)}/index.html.')


if __name__ == '__main__':
    main()
