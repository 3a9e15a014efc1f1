#ifndef ENGINE_HOST_KIT_LOADER_H
#define ENGINE_HOST_KIT_LOADER_H

#include "loader.h"

#define LOK_USE_UNSTABLE_API
#include <LibreOfficeKit/LibreOfficeKit.h>

/* Loads by LibreOfficeKit: works with every LibreOffice that can be forked, and also makes a user interface. */
const struct loader *kit_loader(LibreOfficeKit *kit);

#endif
