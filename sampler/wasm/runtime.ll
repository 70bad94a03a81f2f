; Memory management of the module: blocks of 2^class bytes, with a free list for each class.
; A block starts with a 64-byte header, the next free block and the class, so that its data are aligned to a cache line.
; Arrays created by a kernel are allocated consecutively in chunks, which are such blocks, and freed together when
; a function of `linking.SCOPES` returns, without reference counting. A chunk starts with the previous chunk and its end.
target triple = "wasm32-unknown-unknown"

%MemInfo = type { i64, ptr, ptr, ptr, i64, ptr } ; numba's: references, destructor, its argument, data, size, allocator

@__heap_base = external global i8
@top = internal global i32 0
@unused = internal global [32 x i32] zeroinitializer
@chunk = internal global i32 0
@next = global i32 0
@limit = internal global i32 0

declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
declare void @llvm.trap()
declare double @llvm.sqrt.f64(double)

define i32 @allocate(i32 %bytes) noinline {
  %need = add i32 %bytes, 64
  %least = sub i32 %need, 1
  %zeros = call i32 @llvm.ctlz.i32(i32 %least, i1 false)
  %class = sub i32 32, %zeros
  %size = shl i32 1, %class
  %huge = icmp ugt i32 %bytes, 2147483584
  br i1 %huge, label %full, label %look

look:
  %list = getelementptr [32 x i32], ptr @unused, i32 0, i32 %class
  %first = load i32, ptr %list
  %empty = icmp eq i32 %first, 0
  br i1 %empty, label %fresh, label %again

again:
  %old = inttoptr i32 %first to ptr
  %next = load i32, ptr %old
  store i32 %next, ptr %list
  br label %done

fresh:
  %seen = load i32, ptr @top
  %begun = icmp ne i32 %seen, 0
  %base = ptrtoint ptr @__heap_base to i32
  %past = add i32 %base, 63
  %lined = and i32 %past, -64
  %at = select i1 %begun, i32 %seen, i32 %lined
  %end = add i32 %at, %size
  %wraps = icmp ult i32 %end, %at
  br i1 %wraps, label %full, label %measure

measure:
  %last = sub i32 %end, 1
  %pages = lshr i32 %last, 16
  %have = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %fits = icmp ult i32 %pages, %have
  br i1 %fits, label %take, label %grow

grow:
  %short = sub i32 %pages, %have
  %more = add i32 %short, 1
  %grown = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %refused = icmp eq i32 %grown, -1
  br i1 %refused, label %full, label %take

take:
  store i32 %end, ptr @top
  %new = inttoptr i32 %at to ptr
  %place = getelementptr i32, ptr %new, i32 1
  store i32 %class, ptr %place
  br label %done

full:
  call void @llvm.trap()
  unreachable

done:
  %block = phi i32 [ %first, %again ], [ %at, %take ]
  %inner = add i32 %block, 64
  ret i32 %inner
}

define void @release(i32 %inner) noinline {
  %block = sub i32 %inner, 64
  %place = inttoptr i32 %block to ptr
  %kept = getelementptr i32, ptr %place, i32 1
  %class = load i32, ptr %kept
  %list = getelementptr [32 x i32], ptr @unused, i32 0, i32 %class
  %first = load i32, ptr %list
  store i32 %first, ptr %place
  store i32 %block, ptr %list
  ret void
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %bytes = trunc i64 %size to i32
  %past = add i32 %bytes, 127
  %need = and i32 %past, -64
  %at = load i32, ptr @next
  %end = load i32, ptr @limit
  %room = sub i32 %end, %at
  %fits = icmp ule i32 %need, %room
  br i1 %fits, label %take, label %more

more:
  %all = add i32 %need, 64
  %large = icmp ugt i32 %all, 65472
  %whole = select i1 %large, i32 %all, i32 65472
  %new = call i32 @allocate(i32 %whole)
  %before = load i32, ptr @chunk
  %first = inttoptr i32 %new to ptr
  store i32 %before, ptr %first
  %second = getelementptr i32, ptr %first, i32 1
  store i32 %end, ptr %second
  %last = add i32 %new, %whole
  store i32 %new, ptr @chunk
  store i32 %last, ptr @limit
  %start = add i32 %new, 64
  br label %take

take:
  %place = phi i32 [ %at, %0 ], [ %start, %more ]
  %over = add i32 %place, %need
  store i32 %over, ptr @next
  %info = inttoptr i32 %place to ptr
  %held = getelementptr %MemInfo, ptr %info, i32 0, i32 3
  %data = getelementptr i8, ptr %info, i32 64
  store ptr %data, ptr %held
  ret ptr %info
}

; Free all arrays created since @next was %mark.
define void @give_back(i32 %mark) noinline {
  br label %look

look:
  %chunk = load i32, ptr @chunk
  %limit = load i32, ptr @limit
  %after = icmp uge i32 %mark, %chunk
  %within = icmp ule i32 %mark, %limit
  %here = and i1 %after, %within
  br i1 %here, label %done, label %drop

drop:
  %first = inttoptr i32 %chunk to ptr
  %before = load i32, ptr %first
  %second = getelementptr i32, ptr %first, i32 1
  %end = load i32, ptr %second
  store i32 %before, ptr @chunk
  store i32 %end, ptr @limit
  call void @release(i32 %chunk)
  br label %look

done:
  store i32 %mark, ptr @next
  ret void
}

define double @sqrt(double %x) {
  %root = call double @llvm.sqrt.f64(double %x)
  ret double %root
}

; Size of an array: an exact 64-bit overflow test would need 128-bit multiplication, and no array of 2^31 values fits here.
define { i64, i1 } @array_size(i64 %a, i64 %b) alwaysinline {
  %product = mul i64 %a, %b
  %either = or i64 %a, %b
  %huge = icmp ugt i64 %either, 2147483647
  %sized = insertvalue { i64, i1 } undef, i64 %product, 0
  %told = insertvalue { i64, i1 } %sized, i1 %huge, 1
  ret { i64, i1 } %told
}

; Strides of an array in a new shape; always possible, as all arrays of the kernels are in C order.
define i32 @numba_attempt_nocopy_reshape(i64 %old, ptr %dims, ptr %strides, i64 %axes, ptr %shape, ptr %out, i64 %item, i32 %order) {
  br label %next

next:
  %left = phi i64 [ %axes, %0 ], [ %axis, %set ]
  %stride = phi i64 [ %item, %0 ], [ %wider, %set ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %set

set:
  %axis = sub i64 %left, 1
  %place = getelementptr i64, ptr %out, i64 %axis
  store i64 %stride, ptr %place
  %from = getelementptr i64, ptr %shape, i64 %axis
  %size = load i64, ptr %from
  %wider = mul i64 %stride, %size
  br label %next

end:
  ret i32 1
}
