"""Link the LLVM IR of all entries into one optimised WebAssembly module.

The module has separate memory and a small runtime for numba's arrays (``runtime.ll``). Where a kernel would call Python to
raise an error it traps instead: compiled kernels raise no errors.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from sampler.wasm.entries import ENTRIES, HOT, RARE
from sampler.wasm.files import FOLDER

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
MEMORY = ("allocate", "release")
"""Exported functions of ``runtime.ll``."""
MATH = ("log", "log1p", "log2", "log10", "exp", "expm1", "pow", "sin", "cos")
"""Functions that kernels import from the caller: those of the same name in JavaScript's Math."""
PYTHON = re.compile("_?Py|numba_(gil|unpickle|do_raise|runtime_build)|NRT_MemInfo_alloc$")
"""Functions of Python and numba that raise an error or build its message."""
REFERENCES = re.compile(r"^define linkonce_odr void @NRT_(?:incref|decref)\(.*?^}\n", re.MULTILINE | re.DOTALL)
"""Reference counting functions of numba: unused here, as arrays are not freed one by one."""
SCOPES = ("_steps", "_arrive", "advance_block")
"""Kernels that free the arrays created in them on return, as entries do; none returns an array."""
STACK = 1 << 17
"""Bytes of the stack, at the lowest addresses, so that an overflow traps."""


def link(lowered: dict[str, tuple[str, str]]) -> bytes:
    """Return the module that exports all entries, from each one's name in LLVM IR and the IR."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu="generic", features=FEATURES, opt=3, reloc="static", codemodel="default")
    joined = llvm.parse_assembly((FOLDER / "runtime.ll").read_text(encoding="utf-8"))
    joined.data_layout = str(machine.target_data)
    for entry, (name, text) in lowered.items():
        part = llvm.parse_assembly(_retargeted(text, name, entry, machine))
        kernel = ENTRIES[entry].kernel.py_func
        if {kernel.__name__, kernel.__module__.rpartition(".")[2]} & {*RARE}:  # the function around it too
            for function in [f for f in part.functions if "_3cdynamic_3e" in f.name and not f.is_declaration]:
                function.add_function_attribute("optsize")
        joined.link_in(part)
    for function in [f for f in joined.functions if f.is_declaration and PYTHON.match(f.name)]:
        joined.link_in(llvm.parse_assembly(_trapping(function, machine)))
    exported = (*MEMORY, *lowered)
    for part in (*joined.functions, *joined.global_variables):
        if not part.is_declaration and part.name not in exported:
            part.linkage = "internal"
    hot = re.compile(rf"\d({'|'.join(HOT)})B")
    rare = re.compile(rf"\d({'|'.join(RARE)})[B\d]")
    for function in [f for f in joined.functions if not f.is_declaration]:
        if hot.search(function.name):
            function.add_function_attribute("noinline")
        if rare.search(function.name):
            function.add_function_attribute("optsize")
    joined.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(joined, passes)
    return _linked(machine.emit_object(joined), exported)


def _retargeted(text: str, name: str, entry: str, machine: Any) -> str:
    """Return IR for WebAssembly, with the entry's name and the runtime's ``array_size``."""
    text = re.sub("^target triple = .*", f'target triple = "{TRIPLE}"', text, flags=re.MULTILINE)
    text = re.sub("^target datalayout = .*", f'target datalayout = "{machine.target_data}"', text, flags=re.MULTILINE)
    text = re.sub('"target-(cpu|features)"="[^"]*"', "", text)
    text = text.replace("@llvm.smul.with.overflow.i64", "@array_size")
    text = REFERENCES.sub(lambda match: f"{match[0].splitlines()[0]}\n  ret void\n}}\n", text)
    return _scoped(text.replace(f'@"{name}"', f"@{entry}").replace(f"@{name}(", f"@{entry}("), entry)


def _scoped(text: str, entry: str) -> str:
    """Return IR in which the entry and the kernels of `SCOPES` free the arrays created in them on return."""
    scope = re.compile(rf"@({entry}|\S*\d({'|'.join(SCOPES)})B\S*)\(")
    lines, inside = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith("define"):
            inside, begins = bool(scope.search(line)), True
        elif inside and begins and line.startswith("  "):
            lines.append("  %kept = load i32, ptr @next\n")
            begins = False
        if inside and line.startswith("  ret "):
            lines.append("  call void @give_back(i32 %kept)\n")
        lines.append(line)
    return "".join(lines) + "@next = external global i32\ndeclare void @give_back(i32)\n"


def _trapping(function: Any, machine: Any) -> str:
    """Return the IR of a function of this signature that traps."""
    declared = re.sub(r" #\d+\s*$", "", str(function).strip()).replace("declare", "define", 1)
    return (f'target triple = "{TRIPLE}"\ntarget datalayout = "{machine.target_data}"\ndeclare void @llvm.trap()\n'
            f"{declared} {{\n  call void @llvm.trap()\n  unreachable\n}}\n")


def linker() -> list[str]:
    """Return the linker's command, from the ziglang wheel or LLVM; raise RuntimeError if neither is installed."""
    wheel = [sys.executable, "-m", "ziglang", "wasm-ld"]
    if subprocess.run([*wheel, "--version"], capture_output=True, check=False).returncode == 0:
        return wheel
    if path := shutil.which("wasm-ld"):
        return [path]
    raise RuntimeError('no WebAssembly linker is installed: pip install -e ".[wasm]", or install lld of LLVM')


def _linked(item: bytes, exported: tuple[str, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made, module = Path(folder, "kernels.o"), Path(folder, "lab.wasm")
        made.write_bytes(item)
        subprocess.run([*linker(), made, "-o", module, *(f"--export={name}" for name in exported), "--no-entry", "-O2",
                        "--allow-undefined", "--gc-sections", "--strip-all", "--stack-first", "-z", f"stack-size={STACK}"],
                       check=True)
        return module.read_bytes()
