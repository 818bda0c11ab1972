import { constants, endianness } from "node:os";

/**
 * A seccomp filter for system calls, in the format that `bwrap --seccomp` reads. A render child processes data that it
 * receives through an open connection. It does not need sockets, other processes, tracing, key rings, mounts or
 * modules, so the filter denies all of these, including those that the child's namespaces already restrict.
 */

/** System call numbers from Linux 6.1: arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h. */
interface Architecture {
  /** AUDIT_ARCH_*: the architecture that the kernel reports for a call. */
  readonly audit: number;
  readonly denied: readonly number[];
  readonly clone: number;
}

/** System calls that have the same number on all architectures. */
const clone3 = 435;
const deniedEverywhere = [
  424, // pidfd_send_signal
  425, // io_uring_setup, which would make denied operations possible
  426, // io_uring_enter
  427, // io_uring_register
  428, // open_tree
  429, // move_mount
  430, // fsopen
  431, // fsconfig
  432, // fsmount
  433, // fspick
  438, // pidfd_getfd
  442, // mount_setattr
];

const architectures: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000_003e,
    denied: [
      41, // socket
      42, // connect
      43, // accept
      49, // bind
      50, // listen
      57, // fork
      58, // vfork
      101, // ptrace
      155, // pivot_root
      161, // chroot
      165, // mount
      166, // umount2
      167, // swapon
      168, // swapoff
      169, // reboot
      175, // init_module
      176, // delete_module
      246, // kexec_load
      248, // add_key
      249, // request_key
      250, // keyctl
      272, // unshare
      288, // accept4
      298, // perf_event_open
      304, // open_by_handle_at
      308, // setns
      310, // process_vm_readv
      311, // process_vm_writev
      313, // finit_module
      321, // bpf
      323, // userfaultfd
    ],
    clone: 56,
  },
  arm64: {
    audit: 0xc000_00b7,
    denied: [
      39, // umount2
      40, // mount
      41, // pivot_root
      51, // chroot
      97, // unshare
      104, // kexec_load
      105, // init_module
      106, // delete_module
      117, // ptrace
      142, // reboot
      198, // socket
      200, // bind
      201, // listen
      202, // accept
      203, // connect
      217, // add_key
      218, // request_key
      219, // keyctl
      224, // swapon
      225, // swapoff
      241, // perf_event_open
      242, // accept4
      265, // open_by_handle_at
      268, // setns
      270, // process_vm_readv
      271, // process_vm_writev
      273, // finit_module
      280, // bpf
      282, // userfaultfd
    ],
    clone: 220,
  },
};

/** Instructions of the classic Berkeley Packet Filter (linux/bpf_common.h). */
const loadOpcode = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const returnOpcode = 0x06;

/** Return values (linux/seccomp.h). */
const killResult = 0x8000_0000;
const allowResult = 0x7fff_0000;
const createFailureResult = (error: number): number => 0x0005_0000 | error;

/** Offsets of fields in `struct seccomp_data`. */
const callNumber = 0;
const architecture = 4;
const firstArgument = 16;

/** Distinguishes the creation of threads, which V8 needs, from the creation of processes, which uses the same call. */
const cloneThread = 0x0001_0000;
/** The first number of the x32 ABI, whose calls have separate numbers. */
const firstX32Number = 0x4000_0000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Returns undefined for architectures whose system call numbers are not listed here. */
export function buildSystemCallFilter(
  arch: NodeJS.Architecture = process.arch,
): Buffer | undefined {
  const target = architectures[arch];
  return target && endianness() === "LE" ? encode(buildProgram(target)) : undefined;
}

/** Builds the filter program. The offset of a jump is the number of instructions that it skips. */
function buildProgram({ audit, denied, clone }: Architecture): readonly Instruction[] {
  const { EPERM, ENOSYS } = constants.errno;
  const refuse: Instruction = [returnOpcode, 0, 0, createFailureResult(EPERM)];
  return [
    [loadOpcode, 0, 0, architecture],
    [jumpIfEqual, 1, 0, audit],
    [returnOpcode, 0, 0, killResult],
    [loadOpcode, 0, 0, callNumber],
    [jumpIfAtLeast, 0, 1, firstX32Number],
    refuse,
    ...[...denied, ...deniedEverywhere].flatMap((number): Instruction[] => [
      [jumpIfEqual, 0, 1, number],
      refuse,
    ]),
    // The flags of `clone3` are in memory, which a filter cannot read. A caller that gets "no such call" falls back to
    // `clone`.
    [jumpIfEqual, 0, 1, clone3],
    [returnOpcode, 0, 0, createFailureResult(ENOSYS)],
    [jumpIfEqual, 0, 3, clone],
    [loadOpcode, 0, 0, firstArgument],
    [jumpIfAnyBit, 1, 0, cloneThread],
    refuse,
    [returnOpcode, 0, 0, allowResult],
  ];
}

const instructionBytes = 8;

/** Encodes instructions as `struct sock_filter` in the byte order of the architectures above. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * instructionBytes);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    const at = index * instructionBytes;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  }
  return bytes;
}
