// QKV_API marks what a shared library shows; everything else stays hidden inside it.
#pragma once

#if defined(QKV_SHARED) && defined(_WIN32)
#ifdef QKV_BUILDING
#define QKV_API __declspec(dllexport)
#else
#define QKV_API __declspec(dllimport)
#endif
#elif defined(QKV_SHARED)
#define QKV_API __attribute__((visibility("default")))
#else
#define QKV_API
#endif
