// Read by jemalloc when a program starts, before main(); MALLOC_CONF of the environment comes after
// it.
//
// thp: what lies anywhere in memory is found without a look at the tables of pages.
// background_thread: what is not used any more goes back to the system by a thread of its own.
// oversize_threshold: a large array that is left is of use to the next one; by default its pages go
// back at once.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf =
    "thp:always,metadata_thp:always,background_thread:true,oversize_threshold:0";
}
